from collections import Counter
from datetime import timedelta

from sqlalchemy import select

from tests import pages
from tests.blacklist import cases
from tests.factories import MONDAY, count
from tests.privacy.lives import legs_of
from tradeboard.blacklist.models import Decision, Entry, Evidence
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.privacy import jobs
from tradeboard.trades.models import Message

A_DAY = timedelta(days=1)
LATE = MONDAY + 800 * A_DAY


def say(trade_id, person):
    with transaction():
        text = {"text": "よろしくお願いします", "sent_at": MONDAY}
        db.session.add(Message(trade_id=trade_id, author_id=person.id, **text))


def explain(entry, person):
    with transaction():
        said = {"kind": "statement", "words": "遅れました", "at": MONDAY}
        db.session.add(Evidence(entry_id=entry.id, by_id=person.id, **said))


def by_month():
    found = db.session.execute(select(Entry.listed_at, Entry.finding, Entry.state))
    return Counter((row[0].strftime("%Y-%m"), *row[1:]) for row in found)


def test_an_entry_keeps_its_evidence_until_ninety_days_after_the_decision(
    app, log_in, alice, bob, moderator
):
    entry = cases.listed(alice, bob)
    say(entry.trade_id, alice)
    explain(entry, bob)
    lifted_at = MONDAY + 300 * A_DAY

    assert jobs.purge_evidence(lifted_at).done == 0
    cases.lift(entry, moderator, now=lifted_at)
    counts = by_month()
    assert jobs.purge_evidence(lifted_at + 89 * A_DAY).done == 0
    assert jobs.purge_evidence(lifted_at + 90 * A_DAY).done == 1
    assert jobs.purge_evidence(LATE).done == 0

    assert count(Message) == count(Evidence) == 0
    kept = cases.entry_of(bob)
    assert (kept.handle, kept.facts, kept.email_hash) == ("", {}, None)
    assert kept.purged_at == lifted_at + 90 * A_DAY
    assert {leg.tracking for leg in legs_of(kept.trade_id)} == {""}
    sentences = db.session.scalars(select(Decision.sentence)).all()
    assert set(sentences) == {""}
    assert by_month() == counts
    assert pages.get(log_in(bob), f"/blacklist/mine/{kept.id}")
    assert pages.get(log_in(alice), f"/trades/{kept.trade_id}")
    assert pages.get(log_in(moderator), f"/desk/entries/{kept.id}")


def test_what_another_entry_of_the_trade_needs_stays(app, alice, bob, moderator):
    trade = cases.both_sent(alice, bob)
    say(trade.id, alice)
    cases.sweep_overdue_trades(trade.due_at)
    first, second = cases.entry_of(alice, trade), cases.entry_of(bob, trade)
    assert first is not None
    assert second is not None
    cases.lift(first, moderator, now=trade.due_at)

    assert jobs.purge_evidence(LATE).done == 0
    cases.lift(second, moderator, now=LATE)
    assert jobs.purge_evidence(LATE + 90 * A_DAY).done == 1
    assert count(Message) == 0
