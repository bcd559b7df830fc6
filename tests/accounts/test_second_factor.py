import re
from datetime import timedelta

import pytest

from tests import pages
from tests.accounts.conftest import words_of
from tests.factories import PASSWORD, count, give_factor, make_account
from tests.soaks import browsing
from tradeboard.accounts import passwords, queries, totp
from tradeboard.accounts.models import RecoveryCode, StaffReason, Totp
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


def test_a_password_alone_does_not_open_the_desk(mod, sign_in):
    give_factor(mod)
    client, answer = sign_in("mod")

    assert answer.location == "/login/second"
    refused = client.get(STAFF_PAGE)
    assert (refused.status_code, refused.location) == (
        303,
        "/login/second?next=/desk/people",
    )


def test_a_member_who_wants_one_is_asked_for_it_from_then_on(app, sign_in, mails):
    hashed = passwords.hash_password(PASSWORD)
    dora = make_account("dora", password_hash=hashed)
    here, _ = sign_in("dora")
    there, _ = sign_in("dora")
    assert here.get(STAFF_PAGE).status_code == 404

    pages.submit(here, "/login/second/setup", button="設定を始める")
    secret = totp.unseal(queries.find_totp(dora.id).secret, dora.id)
    now = clock.now()
    with browsing.at(now):
        shown = pages.submit(
            here,
            "/login/second/setup",
            button="設定を終える",
            code=totp.code_at(secret, now - timedelta(seconds=30)),
        )
    codes = re.findall(r"[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}", words_of(shown))

    assert len(codes) == 10
    assert (here.get("/me").status_code, there.get("/me").status_code) == (200, 303)
    new, answer = sign_in("dora", next="/me/devices")
    assert answer.location == "/login/second?next=/me/devices"
    for path in ("/me", "/", "/todo", "/me/security"):
        assert new.get(path).location.startswith("/login/second")
    by_code = pages.submit(new, answer.location, code=totp.code_at(secret, clock.now()))
    assert (by_code.location, new.get("/me").status_code) == ("/me/devices", 200)
    lost, _ = sign_in("dora")
    assert pages.submit(lost, "/login/second", code=codes[0]).status_code == 303
    assert "9個" in words_of(lost.get("/me/security"))

    again = pages.submit(lost, "/me/security", "/me/second-factor/codes")
    assert not set(codes) & set(words_of(again).split())
    assert queries.recovery_codes_left(dora.id) == 10
    pages.submit(lost, "/me/security", "/me/second-factor/remove")
    assert (count(Totp), count(RecoveryCode)) == (0, 0)
    assert sign_in("dora")[1].location == "/todo"
    told = [facts["what"] for *_, facts in mails("ways_in_changed.txt")]
    assert told == ["second-factor-set", "recovery-codes", "second-factor-removed"]


def test_staff_keeps_the_factor_and_a_sent_form_waits_for_it(mod, log_in, sign_in):
    secret, _ = give_factor(mod)
    kept = log_in(mod)
    page = pages.get(kept, "/me/security")
    assert "/me/second-factor/remove" not in page
    token = pages.form_fields(page, "/me/second-factor/codes")
    assert kept.post("/me/second-factor/remove", data=token).status_code == 403

    client, _ = sign_in("mod")
    out = kept
    pages.submit(out, "/me", "/logout")
    data = {
        "csrf_token": pages.form_fields(pages.get(out, "/login"), "/login")[
            "csrf_token"
        ],
        "note": "三時間かけて書いた",
    }
    asked = out.post("/me/password", data=data).get_data(as_text=True)
    second = pages.send(
        out, "/login", asked, "/login", email="mod", password=PASSWORD
    ).get_data(as_text=True)
    answer = pages.send(
        out,
        "/login/second",
        second,
        "/login/second",
        code=totp.code_at(secret, clock.now()),
    )
    form = pages.find_form(answer.get_data(as_text=True))
    assert (form.action, form.values()["note"]) == (
        "/me/password",
        "三時間かけて書いた",
    )


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
    secret, _ = give_factor(mod)
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
    """Scenario 8."""
    secret, _ = give_factor(mod)
    client, _ = sign_in("mod")
    form = pages.find_form(pages.get(client, "/login/second"), "/login/second")
    assert form.names == {"csrf_token", "submit_id", "next", "carried", "code"}
    field = pages.get(client, "/login/second").partition('name="code"')
    assert 'autocomplete="one-time-code"' in field[0][-200:] + field[2][:200]
    for left in (9, 8):
        wrong = pages.submit(client, "/login/second", code="コード：００００００")
        assert f"あと{left}回試せます" in words_of(wrong)
    code = totp.code_at(secret, clock.now())
    wide = code.translate({ord("0") + n: ord("０") + n for n in range(10)})

    answer = pages.submit(
        client, "/login/second", code=f"コード：{wide[:3]} {wide[3:]}"
    )

    assert answer.status_code == 303


def test_a_recovery_code_is_good_once(app, mod, sign_in):
    _, codes = give_factor(mod)
    client, _ = sign_in("mod")
    other, _ = sign_in("mod")

    first = pages.submit(client, "/login/second", code=f" {codes[0].lower()} ")
    second = pages.submit(other, "/login/second", code=codes[0])

    assert (first.status_code, second.status_code) == (303, 422)
    assert queries.recovery_codes_left(mod.id) == 9
    kept = queries.unused_recovery_codes(mod.id)
    assert all(row.startswith("$argon2id$") for row in kept)
    assert len(set(kept)) == 9


def test_guessing_codes_ends_in_429(mod, sign_in):
    give_factor(mod)
    client, _ = sign_in("mod")

    answers = [pages.submit(client, "/login/second", code="000000") for _ in range(11)]

    assert answers[-1].status_code == 429
    assert answers[-1].headers["Retry-After"]


def test_guessing_codes_from_everywhere_ends_too(mod, sign_in):
    secret, _ = give_factor(mod)
    client, _ = sign_in("mod")
    page = pages.get(client, "/login/second")

    def guess(number, code="000000"):
        client.environ_base["REMOTE_ADDR"] = f"10.{number}.0.1"
        return pages.send(client, "/login/second", page, code=code).status_code

    assert {guess(number) for number in range(100)} == {422}
    right = totp.code_at(secret, clock.now())
    assert [guess(101), guess(102, right)] == [429, 429]


def test_codes_one_step_away_are_accepted_and_older_ones_are_not(app, mod):
    secret, _ = give_factor(mod, now=clock.now() - timedelta(hours=1))
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
    give_factor(mod)
    client = log_in(admin)

    page = f"/desk/people/{mod.id}"
    bare = pages.submit(client, page, f"{page}/second-factor")
    why = {"why": "電話をなくした"}
    answer = pages.submit(client, page, f"{page}/second-factor", **why)

    assert (bare.status_code, count(StaffReason)) == (422, 1)
    assert answer.status_code == 303
    assert mails("staff_act.txt")
    assert (count(Totp), count(RecoveryCode)) == (0, 0)
    assert mails("second_factor_reset.txt")


def test_the_desk_finds_suspends_and_restores(alice, mod, log_in):
    give_factor(mod)
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

    pages.submit(client, found.location, f"{found.location}/restore", why="再発なし")
    assert "制限はありません" in pages.get(client, found.location)
