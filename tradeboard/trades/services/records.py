"""The record beside a name (B-03): counted anew from the trades when one ends."""

from datetime import datetime

from tradeboard.accounts.services import record
from tradeboard.core.db import db
from tradeboard.trades import queries
from tradeboard.trades.models import Leg, Trade


def count_both(trade: Trade) -> None:
    """Count the records of both sides of a trade that ended."""
    db.session.flush()
    for account_id in sorted((trade.poster_id, trade.proposer_id)):
        count(account_id)


def count(account_id: int) -> None:
    """Count one person's record; doing it twice changes nothing."""
    record.keep(account_id, queries.record_of(account_id))


def excuse(leg: Leg, *, now: datetime) -> None:
    """Take a late parcel off its sender's record: it came in time, or an error."""
    leg.excused_at = now
    db.session.flush()
    count(leg.sender_id)
