"""Keys: shown once, good for what they are for, and over when they should be."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import select

from tests import pages
from tests.api.cases import CHANGES, CHECK, ask, make_key
from tests.factories import PASSWORD, count, make_account
from tradeboard.accounts import passwords
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.api import queries, rules
from tradeboard.api.models import ApiKey
from tradeboard.audit.models import AuditRow
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import NotAllowed, RuleBroken
from tradeboard.core.transaction import transaction

PAGE = "/me/api-keys"
A_DAY = timedelta(days=1)


@pytest.fixture
def dora(app):
    """She has a password, and runs a bot."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


def send(client, **fields):
    fields = {"name": "くじ引きボット", "password": PASSWORD, **fields}
    return pages.submit(client, PAGE, PAGE, **fields)


def key_on(page):
    """Return the key that a page shows."""
    words = page.replace("<", " ").replace(">", " ").split()
    return next(word for word in words if rules.read_key(word))


def change(model, id, **columns):
    with transaction():
        row = db.session.get_one(model, id)
        for name, value in columns.items():
            setattr(row, name, value)


def only_key():
    db.session.rollback()
    return db.session.scalars(select(ApiKey)).one()


def actions():
    return list(db.session.scalars(select(AuditRow.action).order_by(AuditRow.seq)))


def test_a_member_makes_a_key_sees_it_once_uses_it_and_revokes_it(app, dora, log_in):
    client = log_in(dora)
    made = send(client, scopes=["feed"], lasts="90")

    assert (made.status_code, made.headers["Cache-Control"]) == (200, "no-store")
    key = key_on(made.get_data(as_text=True))
    kept = only_key()
    assert key.startswith(f"tb_{kept.key_id}_")
    secret = rules.read_key(key).secret
    row = {column.name: getattr(kept, column.name) for column in ApiKey.__table__.c}
    assert secret not in repr(row)
    assert kept.expires_at - kept.made_at == 90 * A_DAY
    page = pages.get(client, PAGE)
    assert secret not in page
    assert "くじ引きボット" in page
    assert "まだありません" in page

    assert ask(app, CHANGES, key).status_code == 200
    assert ask(app, CHECK, key, method="POST", json={}).status_code == 403
    assert "まだありません" not in pages.get(client, PAGE)

    gone = pages.submit(client, PAGE, f"{PAGE}/{kept.id}/revoke")
    assert gone.status_code == 303
    assert "無効にした鍵" in pages.get(client, PAGE)
    refused = ask(app, CHANGES, key)
    assert (refused.status_code, refused.json["status"]) == (401, 401)
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert actions()[-2:] == ["make api key", "revoke api key"]


def test_a_key_asks_for_the_password_and_for_a_choice(app, dora, log_in):
    client = log_in(dora)

    assert send(client, password="wrong").status_code == 422
    assert send(client, name="").status_code == 422
    assert send(client, name="x" * 61).status_code == 422
    assert send(client, scopes=[]).status_code == 422
    assert count(ApiKey) == 0


def test_a_form_sent_twice_makes_one_key(app, dora, log_in):
    client = log_in(dora)
    html = pages.get(client, PAGE)
    fields = {"name": "bot", "password": PASSWORD, "scopes": ["bulk"]}

    first, second = (pages.send(client, PAGE, html, PAGE, **fields) for _ in range(2))

    assert (first.status_code, second.status_code) == (200, 409)
    assert count(ApiKey) == 1


def test_keys_of_others_cannot_be_seen_or_revoked(app, alice, dora, log_in):
    make_key("bulk", by=dora)
    key = only_key()
    client = log_in(alice)

    assert key.key_id not in pages.get(client, PAGE)
    make_key("bulk", by=alice)
    html = pages.get(client, PAGE).replace(
        f"/{queries.keys_of(alice.id)[0].id}/revoke", f"/{key.id}/revoke"
    )
    action = f"{PAGE}/{key.id}/revoke"
    assert pages.send(client, PAGE, html, action).status_code == 404
    assert only_of(dora).revoked_at is None


def only_of(owner):
    db.session.rollback()
    (key,) = queries.keys_of(owner.id)
    return key


def test_whoever_is_barred_or_has_ten_makes_no_key(app, alice, bob):
    for _ in range(rules.MOST_KEYS):
        make_key("bulk", by=alice)
    with pytest.raises(RuleBroken):
        make_key("bulk", by=alice)
    change(ApiKey, queries.keys_of(alice.id)[0].id, revoked_at=clock.now())
    make_key("bulk", by=alice)

    change(Account, bob.id, standing=Standing.LISTED)
    with pytest.raises(NotAllowed):
        make_key("bulk", by=bob)
    with pytest.raises(NotAllowed):
        make_key("bulk", by=make_account("emil", confirmed=False))


def test_a_key_opens_nothing_when_it_or_its_owner_is_gone(app, alice, bob):
    key = make_key("feed", by=alice)
    change(Account, alice.id, standing=Standing.LISTED)
    assert ask(app, CHANGES, key).status_code == 200
    for standing in (Standing.SUSPENDED, Standing.CLOSED):
        change(Account, alice.id, standing=standing)
        assert ask(app, CHANGES, key).status_code == 401

    key = make_key("feed", by=bob, days=90, now=clock.now() - 91 * A_DAY)
    assert ask(app, CHANGES, key).status_code == 401


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer tb_",
        "Basic dXNlcjpwYXNz",
        "Bearer tb_0123456789abcdef_" + "A" * 43,
        "Bearer tb_0123456789ABCDEF_" + "A" * 43,
        "Bearer \xff",
    ],
)
def test_what_is_no_key_is_refused(app, header):
    answer = ask(app, CHANGES, headers={"Authorization": header})

    assert answer.status_code == 401


def test_a_key_with_another_secret_is_refused(app):
    key = make_key("feed")
    wrong = key[:-1] + ("A" if key[-1] != "A" else "B")

    assert ask(app, CHANGES, wrong).status_code == 401
    assert ask(app, CHANGES, key).status_code == 200


def test_the_use_of_a_key_is_noted_once_a_minute(app, monkeypatch):
    key = make_key("feed")
    ask(app, CHANGES, key)
    first = only_key().last_used_at
    ask(app, CHANGES, key)
    assert only_key().last_used_at == first

    later = clock.now() + timedelta(minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    ask(app, CHANGES, key)
    assert only_key().last_used_at == later


def test_a_key_has_a_quota_of_its_own(app, monkeypatch):
    monkeypatch.setattr("tradeboard.api.auth.RATE", "5 per 1 minute")
    key, other = make_key("bulk", "feed"), make_key("bulk", "feed")
    body = {"handles": ["a", "b", "c"]}

    statuses = [
        ask(app, CHECK, key, method="POST", json=body).status_code for _ in range(2)
    ]

    assert statuses == [200, 429]
    refused = ask(app, CHANGES, key)
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) <= 60
    assert ask(app, CHANGES, other).status_code == 200


def test_guessing_keys_is_slow(app, monkeypatch):
    monkeypatch.setattr("tradeboard.api.auth.REFUSED", "2 per 1 minute")

    assert [ask(app, CHANGES, "tb_").status_code for _ in range(3)] == [401, 401, 429]


def test_the_operator_makes_lists_and_revokes_keys(app):
    def run(*arguments):
        db.session.rollback()
        return app.test_cli_runner().invoke(args=["api-keys", *arguments])

    made = run("create", "--name", "mirror", "--scopes", "bulk,feed", "--json")
    key = json.loads(made.stdout)["key"]
    assert ask(app, CHANGES, key).status_code == 200

    (listed,) = map(json.loads, run("list", "--json").stdout.splitlines())
    assert (listed["name"], listed["scopes"]) == ("mirror", ["bulk", "feed"])
    assert key not in run("list").stdout

    assert run("revoke", listed["key_id"]).exit_code == 0
    assert ask(app, CHANGES, key).status_code == 401
    assert run("create", "--name", "x", "--scopes", "bulk,all").exit_code == 2
    assert run("revoke", "nothing").exit_code == 1
