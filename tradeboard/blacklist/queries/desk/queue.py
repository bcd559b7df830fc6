"""What waits for a moderator: overdue on top, then the oldest, and who is at it."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Select, case, exists, func, or_, select, tuple_
from sqlalchemy.orm import joinedload, selectinload

from tradeboard.blacklist.models import Appeal, Claim, Entry, EvidenceRequest
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.blacklist.rules.desk import Which, live_since
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.core.db import db
from tradeboard.core.paging import PAGE_SIZE, Cursor
from tradeboard.core.records import dataclass
from tradeboard.trades.models import Trade

OF_STATE = {
    Which.LISTED: EntryState.LISTED,
    Which.HELD: EntryState.HELD,
    Which.UPHELD: EntryState.UPHELD,
}


@dataclass(frozen=True)
class Waiting:
    """How much waits for a moderator, and how much has waited too long."""

    all: int = 0
    red: int = 0
    listed: int = 0
    held: int = 0
    upheld: int = 0
    appealed: int = 0
    mine: int = 0

    def of(self, which: str) -> int:
        """Return how many one filter shows."""
        return self.red if which == Which.OVERDUE else getattr(self, which)


def review_queue(
    which: Which = Which.ALL,
    after: Cursor | None = None,
    *,
    after_red: bool = True,
    by_id: int | None = None,
    now: datetime,
    size: int = PAGE_SIZE,
) -> Sequence[Entry]:
    """Return what waits, one more than a page if there is more.

    A page ends with a red entry or with another one; the next begins after it. Those
    that `by_id` is a party to are for others alone.
    """
    rank = _rank(now)
    waiting = _of(which, by_id, now)
    if by_id is not None:
        waiting = waiting.where(*of_others(by_id))
    if after is not None:
        last = (0 if after_red else 1, after.at, after.id)
        waiting = waiting.where(tuple_(rank, Entry.entered_at, Entry.id) > last)
    return db.session.scalars(
        waiting.order_by(rank, Entry.entered_at, Entry.id)
        .options(selectinload(Entry.account), selectinload(Entry.evidence))
        .limit(size + 1)
    ).all()


def of_others(by_id: int):
    """Return the conditions of entries that somebody is no party to."""
    of_two = (Trade.poster_id == by_id, Trade.proposer_id == by_id)
    own_trade = exists().where(Trade.id == Entry.trade_id, or_(*of_two))
    return Entry.account_id != by_id, ~own_trade


def is_red(entry: Entry, now: datetime) -> bool:
    """Tell whether an entry has waited too long, for a review or for its appeal."""
    over = entry.review_by is not None and entry.review_by <= now
    return over or entry.hidden_at is not None


def position(entry: Entry, now: datetime) -> int | None:
    """Return at which place of the queue an entry waits, if it does."""
    if entry.review_by is None:
        return None
    place = tuple_(_rank(now), Entry.entered_at, Entry.id)
    own = (0 if is_red(entry, now) else 1, entry.entered_at, entry.id)
    before = select(func.count(Entry.id)).where(
        Entry.review_by.is_not(None), place < own
    )
    return (db.session.scalar(before) or 0) + 1


def count_waiting(now: datetime, by_id: int | None = None) -> Waiting:
    """Count what waits for a moderator, and what `by_id` is at."""
    rows = db.session.execute(
        select(
            Entry.state,
            func.count(Entry.id).label("n"),
            func.sum(1 - _rank(now)).label("red"),
        )
        .where(Entry.review_by.is_not(None))
        .group_by(Entry.state)
    ).all()
    waiting = {row.state: row.n for row in rows}
    appealed = select(func.count(Appeal.id)).where(Appeal.state == AppealState.OPEN)
    mine = select(func.count(Claim.entry_id)).where(*_mine(by_id, now))
    return Waiting(
        all=sum(row.n for row in rows),
        red=sum(row.red for row in rows),
        listed=waiting.get(EntryState.LISTED, 0),
        held=waiting.get(EntryState.HELD, 0),
        upheld=waiting.get(EntryState.UPHELD, 0),
        appealed=db.session.scalar(appealed) or 0,
        mine=db.session.scalar(mine) or 0,
    )


def claims_on(entry_ids: Iterable[int], now: datetime) -> dict[int, Claim]:
    """Return who is at which of some entries; lapsed claims count as none."""
    live = select(Claim).where(
        Claim.entry_id.in_(list(entry_ids)), Claim.seen_at > live_since(now)
    )
    found = db.session.scalars(live.options(joinedload(Claim.by)))
    return {claim.entry_id: claim for claim in found}


def find_claim(entry_id: int) -> Claim | None:
    """Return the claim on an entry, lapsed or not, with who made it."""
    found = select(Claim).where(Claim.entry_id == entry_id)
    return db.session.scalar(found.options(joinedload(Claim.by)))


def open_request_count(entry_id: int, to_id: int) -> int:
    """Count what somebody was asked about an entry and has not answered."""
    found = select(func.count(EvidenceRequest.id)).where(
        EvidenceRequest.entry_id == entry_id,
        EvidenceRequest.to_id == to_id,
        EvidenceRequest.answered_at.is_(None),
    )
    return db.session.scalar(found) or 0


def _of(which: Which, by_id: int | None, now: datetime) -> Select:
    if which is Which.APPEALED:
        open_ones = select(Appeal.entry_id).where(Appeal.state == AppealState.OPEN)
        return select(Entry).where(Entry.id.in_(open_ones))
    if which is Which.MINE:
        return select(Entry).where(
            Entry.id.in_(select(Claim.entry_id).where(*_mine(by_id, now)))
        )
    waiting = select(Entry).where(Entry.review_by.is_not(None))
    if which is Which.OVERDUE:
        return waiting.where(_rank(now) == 0)
    if which in OF_STATE:
        return waiting.where(Entry.state == OF_STATE[which])
    return waiting


def _mine(by_id: int | None, now: datetime):
    return (Claim.by_id == by_id, Claim.seen_at > live_since(now))


def _rank(now: datetime):
    """Order red entries before the others."""
    return case((or_(Entry.review_by <= now, Entry.hidden_at.is_not(None)), 0), else_=1)
