from datetime import timedelta

import pytest

from tests import pages
from tests.accounts.conftest import words_of
from tests.factories import PASSWORD, count, make_account
from tradeboard.accounts import passwords, queries, totp
from tradeboard.accounts.models import RecoveryCode, Totp
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import second_factor
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction

STAFF_PAGE = "/desk/people"


@pytest.fixture
def mod(app):
    """She moderates and has a password, but no second factor yet."""
    hashed = passwords.hash_password(PASSWORD)
    return make_account("mod", role=Role.MODERATOR, password_hash=hashed)


def set_up(account, now=None):
    """Give her the factor; return the secret and the recovery codes."""
    now = now or clock.now() - timedelta(minutes=5)
    with transaction():
        second_factor.begin(account, now=now)
    secret = totp.unseal(queries.find_totp(account.id).secret, account.id)
    with transaction():
        codes = second_factor.confirm(account, totp.code_at(secret, now), now=now)
    return secret, codes


def test_a_password_alone_does_not_open_the_desk(mod, sign_in):
    set_up(mod)
    client, answer = sign_in("mod")

    assert answer.location == "/login/second"
    refused = client.get(STAFF_PAGE)
    assert (refused.status_code, refused.location) == (
        303,
        "/login/second?next=/desk/people",
    )


def test_members_see_nothing_of_desk_or_factor(alice, log_in):
    client = log_in(alice)

    for path in (STAFF_PAGE, "/login/second", "/login/second/setup"):
        assert client.get(path).status_code == 404


def test_the_factor_is_set_up_at_the_first_log_in(mod, sign_in):
    client, _ = sign_in("mod")
    asked = client.get("/login/second?next=/desk/people")
    assert asked.location == "/login/second/setup?next=/desk/people"
    before = client.get_cookie("session").value

    pages.submit(client, asked.location, button="設定を始める")
    page = pages.get(client, asked.location)
    secret = totp.unseal(queries.find_totp(mod.id).secret, mod.id)
    assert "<svg" in page
    assert "style=" not in page
    assert secret in page
    answer = pages.submit(
        client,
        asked.location,
        button="設定を終える",
        code=totp.code_at(secret, clock.now()),
    )

    assert answer.status_code == 200
    assert count(RecoveryCode) == 10
    assert client.get_cookie("session").value != before
    assert client.get(STAFF_PAGE).status_code == 200
    assert secret not in count_secret(mod)
    assert client.get("/login/second/setup").status_code == 303


def count_secret(account):
    return queries.find_totp(account.id).secret


def test_a_code_is_good_once_and_the_session_gets_a_new_token(mod, sign_in):
    secret, _ = set_up(mod)
    client, _ = sign_in("mod")
    other, _ = sign_in("mod")
    before = client.get_cookie("session").value
    code = totp.code_at(secret, clock.now())

    answer = pages.submit(client, "/login/second?next=/desk/people", code=code)
    again = pages.submit(other, "/login/second", code=code)

    assert answer.location == "/desk/people"
    assert client.get_cookie("session").value != before
    assert client.get(STAFF_PAGE).status_code == 200
    assert again.status_code == 422
    assert "あと" in words_of(again)


def test_a_pasted_code_is_read(mod, sign_in):
    secret, _ = set_up(mod)
    client, _ = sign_in("mod")
    code = totp.code_at(secret, clock.now())
    wide = code.translate({ord("0") + n: ord("０") + n for n in range(10)})

    answer = pages.submit(
        client, "/login/second", code=f"コード：{wide[:3]} {wide[3:]}"
    )

    assert answer.status_code == 303


def test_a_recovery_code_is_good_once(app, mod, sign_in):
    _, codes = set_up(mod)
    client, _ = sign_in("mod")
    other, _ = sign_in("mod")

    first = pages.submit(client, "/login/second", code=f" {codes[0].lower()} ")
    second = pages.submit(other, "/login/second", code=codes[0])

    assert (first.status_code, second.status_code) == (303, 422)
    assert queries.recovery_codes_left(mod.id) == 9


def test_guessing_codes_ends_in_429(mod, sign_in):
    set_up(mod)
    client, _ = sign_in("mod")

    answers = [pages.submit(client, "/login/second", code="000000") for _ in range(11)]

    assert answers[-1].status_code == 429
    assert answers[-1].headers["Retry-After"]


def test_codes_one_step_away_are_accepted_and_older_ones_are_not(app, mod):
    secret, _ = set_up(mod, now=clock.now() - timedelta(hours=1))
    now = clock.now()

    with transaction():
        second_factor.check(
            mod, totp.code_at(secret, now - timedelta(seconds=30)), now=now
        )
    with pytest.raises(RuleBroken), transaction():
        second_factor.check(
            mod, totp.code_at(secret, now - timedelta(seconds=30)), now=now
        )
    with transaction():
        second_factor.check(mod, totp.code_at(secret, now), now=now)


def test_an_admin_removes_a_lost_factor_of_somebody_else(mod, log_in, mails):
    admin = make_account("boss", role=Role.ADMIN)
    set_up(mod)
    client = log_in(admin)

    answer = pages.submit(
        client, f"/desk/people/{mod.id}", f"/desk/people/{mod.id}/second-factor"
    )

    assert answer.status_code == 303
    assert (count(Totp), count(RecoveryCode)) == (0, 0)
    assert mails("second_factor_reset.txt")


def test_the_desk_finds_suspends_and_restores(alice, mod, log_in):
    set_up(mod)
    client = log_in(mod)

    found = client.get("/desk/people?handle=ＡＬＩＣＥ")
    assert found.location == f"/desk/people/{alice.id}"
    page = pages.get(client, found.location)
    assert "a***@example.com" in page
    assert "alice@example.com" not in page
    bare = pages.submit(client, found.location, f"{found.location}/suspend")
    assert bare.status_code == 422

    done = pages.submit(
        client, found.location, f"{found.location}/suspend", reason="terms", days="7"
    )
    assert done.location == found.location
    assert "停止中" in pages.get(client, found.location)

    pages.submit(client, found.location, f"{found.location}/restore")
    assert "制限はありません" in pages.get(client, found.location)
