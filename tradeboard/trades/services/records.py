"""The record beside a name (B-03): counted anew from the trades when one ends."""

from collections.abc import Iterable
from datetime import datetime

from tradeboard.accounts.services import record, standing
from tradeboard.core.db import db
from tradeboard.core.together import write_together
from tradeboard.trades import queries
from tradeboard.trades.models import Leg, Trade


def count_all(trades: Iterable[Trade]) -> None:
    """Count the records of both sides of trades that ended."""
    _count({id for trade in trades for id in (trade.poster_id, trade.proposer_id)})


def count(account_id: int) -> None:
    """Count one person's record; doing it twice changes nothing."""
    _count({account_id})


def _count(account_ids: set[int]) -> None:
    """Count under the lock of each person, so that no trade that ends now is missed."""
    if not account_ids:
        return
    people = standing.lock(account_ids)
    for account_id, counted in queries.records_of(account_ids).items():
        record.keep(people[account_id], counted)
    write_together(people.values())


def excuse(leg: Leg, *, now: datetime) -> None:
    """Take a late parcel off its sender's record: it came in time, or an error."""
    leg.excused_at = now
    db.session.flush()
    count(leg.sender_id)
