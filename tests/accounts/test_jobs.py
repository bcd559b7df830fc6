from datetime import timedelta

from tests.factories import MONDAY, count, make_account, make_session
from tradeboard.accounts import jobs, tokens
from tradeboard.accounts.models import Account, Handle, MailedToken, Session
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.accounts.services import admin, standing
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction

WEEK = timedelta(days=7)
A_MOMENT = timedelta(microseconds=1)


def test_an_account_never_confirmed_is_forgotten_after_a_week(app):
    make_account("dora", confirmed=False, agreed=False, created_at=MONDAY)
    make_account("emil", confirmed=True, agreed=False, created_at=MONDAY)
    fred = make_account("fred", confirmed=False, agreed=True, created_at=MONDAY)
    make_session(fred)

    assert jobs.forget_unconfirmed(MONDAY + WEEK - A_MOMENT) == 0
    assert jobs.forget_unconfirmed(MONDAY + WEEK) == 1
    assert jobs.forget_unconfirmed(MONDAY + WEEK) == 0
    assert (count(Account), count(Handle)) == (2, 2)


def test_a_restriction_ends_at_its_time(app, alice):
    with transaction():
        standing.restrict(
            alice.id, "device:1", Standing.HELD, until=MONDAY + WEEK, now=MONDAY
        )

    assert jobs.end_restrictions(MONDAY + WEEK - A_MOMENT) == 0
    assert jobs.end_restrictions(MONDAY + WEEK) == 1
    assert jobs.end_restrictions(MONDAY + WEEK) == 0
    assert db.session.get(Account, alice.id).standing is Standing.GOOD


def test_void_links_and_old_sessions_go(app, alice):
    make_session(alice)
    now = clock.now()
    with transaction():
        tokens.issue(alice, "reset", now=now)

    jobs.forget_old_rows(now + timedelta(days=29))
    assert (count(MailedToken), count(Session)) == (1, 1)

    jobs.forget_old_rows(now + timedelta(days=31))
    assert (count(MailedToken), count(Session)) == (0, 1)

    jobs.forget_old_rows(now + timedelta(days=105))
    assert count(Session) == 0


def test_whoever_runs_the_board_makes_and_promotes_accounts(app):
    with transaction():
        admin.create(
            "boss", "boss@example.com", "a horse and a battery", "ja", now=MONDAY
        )
        account = admin.promote("BOSS", Role.ADMIN, "founder", by=None, now=MONDAY)

    assert account.is_confirmed
    assert account.role is Role.ADMIN
