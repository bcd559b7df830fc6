"""A parcel that came after all: its recipient says so, and the entry follows."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.audit.services import record as audit
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry, Evidence
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules.entries import LiftReason
from tradeboard.blacklist.services import entering, review, sweeping
from tradeboard.core.db import db
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Leg
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import TradeState
from tradeboard.trades.services import moving, overdue


def confirm_late(
    leg_id: int, *, arrived_at: datetime, by: Account, now: datetime
) -> Leg:
    """Let the recipient say that it came, and lift what was entered for its absence.

    Late is late, whoever comes first: what the sweep has not done yet is done here.
    """
    leg = trades.get_leg(leg_id)
    moving.require_recipient(leg, by)
    trade = leg.trade
    if trade.state is TradeState.SHIPPED and clock.is_over(trade.due_at, now):
        sweeping.list_or_hold(trade.id, now=now)
    leg = overdue.confirm_late(leg_id, arrived_at=arrived_at, by=by, now=now)
    found = queries.find_open_entry(leg)
    if found is not None:
        _follow(queries.lock_entry(found.id), arrived_at, by, now)
    return leg


def _follow(entry: Entry, arrived_at: datetime, by: Account, now: datetime) -> None:
    assert entry.due_at is not None
    reason = rules.lift_reason(arrived_at, entry.due_at)
    if reason is LiftReason.RECEIVED_IN_TIME:
        _note_late_confirmation(entry, by, now)
    if rules.lifts_by_itself(reason, queries.cured_count(entry.account_id)):
        review.lift(entry, reason, by=None, now=now)
        return
    words = arrived_at.isoformat()
    add_evidence(entry, "arrived_late", words, by=by, now=now)
    entry.review_by = now
    entering.write_down("note arrival of", entry, by_id=by.id, now=now)


def _note_late_confirmation(entry: Entry, by: Account, now: datetime) -> None:
    """Keep that the recipient confirmed late; it is seen by moderators alone."""
    add_evidence(entry, "confirmed_late", "", by=by, now=now)
    audit(
        "confirm late",
        f"account:{by.id}",
        by_id=by.id,
        now=now,
        entry=entry.id,
    )


def add_evidence(
    entry: Entry, kind: str, words: str, *, by: Account, now: datetime
) -> Evidence:
    """Keep what somebody brought forward; the public never sees it."""
    evidence = Evidence(entry_id=entry.id, by_id=by.id, at=now, kind=kind, words=words)
    db.session.add(evidence)
    return evidence
