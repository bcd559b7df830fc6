from datetime import timedelta

import pytest
from sqlalchemy import select

from tests import pages
from tests.accounts.conftest import words_of
from tests.factories import PASSWORD, count, make_account, make_session
from tradeboard.accounts import passwords, queries, tokens
from tradeboard.accounts.models import Account, Session
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.accounts.services import profile, sessions, standing, suspension
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction

NEW = "a new battery for the old horse"


@pytest.fixture
def dora(app):
    """She has a password."""
    return make_account("dora", password_hash=passwords.hash_password(PASSWORD))


def is_signed_in(client):
    return client.get("/me").status_code == 200


def replay(app, client):
    """Return another browser with the same session cookie."""
    cookie = client.get_cookie("session")
    copy = app.test_client()
    copy.set_cookie("session", cookie.value)
    return copy


@pytest.mark.parametrize("login", ["dora@example.com", "DORA@Example.com", "dora"])
def test_one_logs_in_with_address_or_handle(dora, sign_in, login):
    client, answer = sign_in(login)

    assert (answer.status_code, answer.location) == (303, "/todo")
    assert is_signed_in(client)


def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(
    dora, sign_in, monkeypatch
):
    calls = []
    verify = passwords.verify
    monkeypatch.setattr(
        passwords, "verify", lambda *args: calls.append(1) or verify(*args)
    )

    answers = []
    for login in ("dora@example.com", "nobody@example.com"):
        calls.clear()
        _, answer = sign_in(login, "not the password")
        answers.append((answer.status_code, words_of(answer), len(calls)))

    assert answers[0] == answers[1]
    assert answers[0][0] == 422


def test_whoever_registers_with_a_strangers_mailbox_learns_nothing_by_logging_in(
    dora, register, sign_in
):
    register("emil", "dora@example.com", password="another horse battery")

    owner, _ = sign_in("dora@example.com")
    stranger, answer = sign_in("dora@example.com", "another horse battery")

    assert "dora" in words_of(owner.get("/me"))
    assert answer.status_code == 303
    assert "emil" in words_of(stranger.get("/me"))


def test_logging_out_ends_the_session_for_good(app, dora, sign_in):
    client, _ = sign_in("dora")
    copy = replay(app, client)

    answer = pages.submit(client, "/me", "/logout")

    assert answer.headers["Clear-Site-Data"] == '"cache", "storage"'
    assert not is_signed_in(client)
    assert not is_signed_in(copy)


def test_logging_in_makes_a_new_token(app, dora, sign_in):
    client, _ = sign_in("dora")
    first = client.get_cookie("session").value
    pages.submit(client, "/me", "/logout")

    sign_in("dora", client=client)

    assert client.get_cookie("session").value != first
    assert count(Session) == 2


def test_a_new_password_ends_every_other_session(app, dora, sign_in, mails):
    here, _ = sign_in("dora")
    there, _ = sign_in("dora")
    old = replay(app, here)

    answer = pages.submit(here, "/me/password", password=PASSWORD, new_password=NEW)

    assert answer.status_code == 303
    assert is_signed_in(here)
    assert not is_signed_in(old)
    assert not is_signed_in(there)
    assert mails("password_changed.txt")
    assert sign_in("dora", PASSWORD)[1].status_code == 422
    assert sign_in("dora", NEW)[1].status_code == 303


def test_one_button_ends_all_other_sessions(dora, sign_in):
    here, _ = sign_in("dora")
    there, _ = sign_in("dora")

    pages.submit(here, "/me/devices", "/me/devices/sign-out")

    assert is_signed_in(here)
    assert not is_signed_in(there)


def test_a_suspension_ends_every_session(app, dora, moderator, sign_in):
    client, _ = sign_in("dora")
    with transaction():
        suspension.suspend(dora.id, "terms", until=None, by=moderator, now=clock.now())

    assert not is_signed_in(client)
    again, _ = sign_in("dora")
    assert "利用規約に反する投稿や取引" in words_of(again.get("/me"))


def test_a_reset_by_mail_ends_every_session_and_works_once(dora, sign_in, mails, app):
    client, _ = sign_in("dora")
    stranger = app.test_client()
    asked = pages.submit(stranger, "/reset", email="dora@example.com")
    path = mails("reset.txt")[0][2]["path"]

    for _ in range(3):
        opened = stranger.get(path)
        assert opened.status_code == 200
    assert opened.headers["Referrer-Policy"] == "no-referrer"
    answer = pages.submit(stranger, path, new_password=NEW)

    assert (asked.status_code, answer.location) == (200, "/login")
    assert not is_signed_in(client)
    assert stranger.get(path).status_code == 410
    assert sign_in("dora", NEW)[1].status_code == 303


def test_nobody_is_told_whether_an_address_can_be_reset(app, dora, mails):
    answers = [
        words_of(pages.submit(app.test_client(), "/reset", email=email))
        for email in ("dora@example.com", "nobody@example.com")
    ]

    assert answers[0] == answers[1]
    assert len(mails("reset.txt")) == 1


def test_a_reset_link_is_dead_after_the_password_changed(app, dora, mails):
    with transaction():
        profile.ask_for_reset("dora@example.com", now=clock.now())
    path = mails("reset.txt")[0][2]["path"]
    with transaction():
        account = db.session.get(Account, dora.id)
        profile.change_password(account, "!", now=clock.now())

    assert app.test_client().get(path).status_code == 410


@pytest.mark.parametrize(
    ("role", "idle", "absolute"),
    [
        (Role.MEMBER, timedelta(days=14), timedelta(days=60)),
        (Role.MODERATOR, timedelta(minutes=30), timedelta(hours=12)),
    ],
)
def test_a_session_ends_when_it_rests_and_when_it_is_old(app, role, idle, absolute):
    account = make_account("dora", role=role)
    now = clock.now()
    with transaction():
        token = sessions.sign_in(account, now=now)
    hashed = tokens.hash_token(token)

    def lives(at):
        return queries.find_session(hashed, now=at) is not None

    assert lives(now + idle - timedelta(seconds=1))
    assert not lives(now + idle)
    with transaction():
        for step in range(1, 200):
            sessions.seen(hashed, now=now + step * idle / 2)
    last = now + absolute - timedelta(seconds=1)
    assert lives(last)
    assert not lives(now + absolute)
    # Proving who one is begins no new sixty days.
    with transaction():
        token = sessions.renew(hashed, second_factor_at=None, now=last)
    assert not lives(last)
    hashed = tokens.hash_token(token)
    assert lives(last)
    assert not lives(now + absolute)


def test_use_is_written_every_ten_minutes_at_most(app, log_in, alice, statements):
    client = log_in(alice)
    with statements() as seen:
        client.get("/me")
    assert not any(s.startswith(("UPDATE", "INSERT")) for s in seen)

    with transaction():
        row = db.session.scalars(select(Session)).one()
        row.last_seen_at = clock.now() - timedelta(minutes=11)
    with statements() as seen:
        client.get("/me")
    assert sum(s.startswith("UPDATE session") for s in seen) == 1


def test_nobody_has_more_than_twenty_sessions(app, alice):
    now = clock.now()
    with transaction():
        for minute in range(25):
            sessions.sign_in(alice, now=now + timedelta(minutes=minute))

    later = now + timedelta(minutes=30)
    assert len(queries.sessions_of(alice.id, now=later)) == 20


def test_the_cookie_holds_no_id_and_the_table_no_token(app, alice):
    token = make_session(alice)

    row = db.session.scalars(select(Session)).one()

    assert token not in row.token_hash
    assert len(token) >= 43


def test_a_rehash_follows_the_cost(app, sign_in, monkeypatch):
    old = passwords.PasswordHasher(memory_cost=8, time_cost=1, parallelism=1)
    dora = make_account("dora", password_hash=old.hash(PASSWORD))

    sign_in("dora")

    db.session.refresh(dora)
    assert not passwords.needs_rehash(dora.password_hash)


def test_standing_is_derived_from_all_causes_and_released_one_by_one(app, alice):
    now = clock.now()

    def stands():
        db.session.rollback()
        return db.session.get(Account, alice.id).standing

    with transaction():
        standing.restrict(alice.id, "entry:1", Standing.LISTED, now=now)
        standing.restrict(alice.id, "device:2", Standing.HELD, now=now)
        standing.restrict(alice.id, "entry:1", Standing.LISTED, now=now)
    assert stands() is Standing.LISTED

    with transaction():
        standing.release(alice.id, "entry:1", now=now)
    assert stands() is Standing.HELD

    with transaction():
        standing.release(alice.id, "entry:1", now=now)
        standing.release(alice.id, "device:2", now=now)
    assert stands() is Standing.GOOD

    with transaction():
        standing.restrict(alice.id, "entry:1", Standing.LISTED, now=now)
    assert stands() is Standing.LISTED
