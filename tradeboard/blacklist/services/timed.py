"""What time does to entries that nobody decided, and to those that have stood long."""

from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules.entries import EntryState, LiftReason
from tradeboard.blacklist.services import entering, review, telling
from tradeboard.core.errors import Conflict
from tradeboard.trades.rules import clock


def list_withheld(entry_id: int, *, now: datetime) -> Entry:
    """List a withheld entry that no moderator has decided for seven days."""
    entry = queries.lock_entry(entry_id)
    _require_over(entry.list_at, now)
    entering.publish(entry, "list", by_id=None, reviewed=False, now=now)
    person = accounts.get_account(entry.account_id)
    telling.tell_listed(person, entry, now=now)
    entering.decide(entry, "list", LiftReason.UNDECIDED.value, by_id=None, now=now)
    return entry


def lift_undecided(entry_id: int, *, now: datetime) -> Entry:
    """Lift a held entry that no moderator has decided for ninety days."""
    entry = queries.lock_entry(entry_id)
    _require_over(entry.undecided_at, now)
    review.lift(entry, LiftReason.UNDECIDED, by=None, now=now)
    return entry


def expire(entry_id: int, *, now: datetime) -> Entry:
    """End an entry whose time is over; identifiers go, what is counted stays."""
    entry = queries.lock_entry(entry_id)
    _require_over(entry.expires_at, now)
    entering.end(entry, "expire", by_id=None, now=now)
    entry.handle, entry.facts = "", {}
    person = accounts.get_account(entry.account_id)
    telling.tell_expired(person, entry, now=now)
    entering.decide(entry, "expire", "expire", by_id=None, now=now)
    return entry


def warn_of_unreviewed(entry_id: int, *, now: datetime) -> Entry:
    """Tell the admins, once, that an entry has waited too long for a moderator."""
    entry = queries.lock_entry(entry_id)
    _require_over(entry.review_by, now)
    if entry.warned_at is not None or entry.state is EntryState.LIFTED:
        raise Conflict("もう知らせました。")
    entry.warned_at = now
    for admin in accounts.admins():
        telling.tell_unreviewed(admin, entry, now=now)
    return entry


def _require_over(limit: datetime | None, now: datetime) -> None:
    if limit is None or not clock.is_over(limit, now):
        raise Conflict("いまの状態では、この操作はできません。")
