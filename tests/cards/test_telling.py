"""Members are told of new partners, at most once a day."""

from datetime import timedelta

from sqlalchemy import select

from tests.cards.worlds import put
from tests.factories import MONDAY, make_account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.cards import jobs, queries
from tradeboard.core.db import db
from tradeboard.notifications.models import OutboxMail

A_DAY = timedelta(days=1)
A_MOMENT = timedelta(microseconds=1)


def mails(account):
    """Return what was told to somebody: how many partners, and some names."""
    db.session.rollback()
    found = db.session.scalars(
        select(OutboxMail)
        .where(OutboxMail.account_id == account.id)
        .order_by(OutboxMail.id)
    )
    return [(mail.facts["count"], mail.facts["names"]) for mail in found]


def test_new_partners_are_told_once_and_daily(alice, bob, charlie):
    put(alice, have=["竜"], want=["虎"])
    put(bob, have=["虎"], want=["竜"])
    put(charlie, have=["狐"], want=["狸"])

    assert jobs.tell_matches(MONDAY) == 3
    assert mails(alice) == [(1, ["bob"])]
    assert mails(bob) == [(1, ["alice"])]
    assert mails(charlie) == []

    put(charlie, have=["虎"], want=["竜"])
    assert jobs.tell_matches(MONDAY + A_DAY - A_MOMENT) == 0
    assert jobs.tell_matches(MONDAY + A_DAY) == 3
    assert mails(alice) == [(1, ["bob"]), (1, ["charlie"])]
    assert jobs.tell_matches(MONDAY + 2 * A_DAY) == 3
    assert len(mails(alice)) == 2


def test_only_who_may_trade_and_keeps_both_lists_is_looked_up(alice, bob):
    put(alice, have=["竜"], want=["虎"])
    put(bob, have=["虎"])
    barred = make_account("barred", standing=Standing.LISTED)
    put(barred, have=["虎"], want=["竜"])

    assert queries.due_for_news(MONDAY) == [alice.id]
