"""Find entries, lock them, and ask what is due."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Result, func, select
from sqlalchemy.orm import selectinload

from tradeboard.blacklist.models import Decision, Entry, EntryDevice
from tradeboard.blacklist.rules.entries import (
    FINDINGS_BY_HAND,
    PUBLIC,
    STANDING_STATES,
    EntryState,
    LiftReason,
)
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades.models import Leg, Message, Trade

BATCH = 500
MOST_OWN = 100


def newest_number() -> int:
    """Return the highest number that an entry has, or 0."""
    return db.session.scalar(select(func.max(Entry.id))) or 0


def get_entry(entry_id: int) -> Entry:
    """Return an entry, or raise NotFound."""
    return found_entry(db.session.get(Entry, entry_id))


def get_entry_of(account_id: int, entry_id: int) -> Entry:
    """Return an entry to the person whom it concerns; others are told of none."""
    found = select(Entry).where(Entry.id == entry_id, Entry.account_id == account_id)
    everything = (
        selectinload(Entry.devices),
        selectinload(Entry.decisions),
        selectinload(Entry.evidence),
    )
    return found_entry(db.session.scalar(found.options(*everything)))


def entries_of(account_id: int) -> Sequence[Entry]:
    """Return a person's own entries of every state, newest first."""
    own = select(Entry).where(Entry.account_id == account_id)
    newest = own.order_by(Entry.entered_at.desc(), Entry.id).limit(MOST_OWN)
    return db.session.scalars(newest).all()


def entries_by_ids(ids: Iterable[int]) -> Sequence[Entry]:
    """Return these entries in the order of their numbers."""
    found = select(Entry).where(Entry.id.in_(list(ids)))
    return db.session.scalars(found.order_by(Entry.entered_at, Entry.id)).all()


def lock_entry(entry_id: int) -> Entry:
    """Return an entry that nobody else changes meanwhile: trade first, then entry.

    SQLite ignores the clauses: there, the transaction holds the only write lock.
    """
    trade_id = db.session.scalar(select(Entry.trade_id).where(Entry.id == entry_id))
    if trade_id is not None:
        db.session.execute(
            select(Trade.id).where(Trade.id == trade_id).with_for_update()
        )
    locked = select(Entry).where(Entry.id == entry_id).with_for_update()
    return found_entry(
        db.session.scalar(locked.execution_options(populate_existing=True))
    )


def find_entry(trade_id: int, account_id: int) -> Entry | None:
    """Return the entry of a person in a trade, whatever became of it."""
    return db.session.scalar(
        select(Entry).where(Entry.trade_id == trade_id, Entry.account_id == account_id)
    )


def find_open_entry(leg: Leg) -> Entry | None:
    """Return the entry that stands because this parcel did not come.

    What a moderator listed for another reason does not end with its arrival.
    """
    return db.session.scalar(
        select(Entry).where(
            Entry.trade_id == leg.trade_id,
            Entry.account_id == leg.sender_id,
            Entry.state.in_(STANDING_STATES),
            Entry.finding.not_in(FINDINGS_BY_HAND),
        )
    )


def entered(trade_ids: Iterable[int]) -> set[tuple[int | None, int]]:
    """Return who has an entry in which of these trades, whatever became of it."""
    found = select(Entry.trade_id, Entry.account_id).where(
        Entry.trade_id.in_(list(trade_ids))
    )
    return {(row[0], row[1]) for row in db.session.execute(found)}


def public_entries_of(*account_ids: int) -> Sequence[Entry]:
    """Return the public entries of people."""
    public = select(Entry).where(
        Entry.account_id.in_(account_ids), Entry.state.in_(PUBLIC)
    )
    return db.session.scalars(public.order_by(Entry.listed_at, Entry.id)).all()


def standing_entries_of(account_id: int) -> Sequence[Entry]:
    """Return the entries of a person that have not ended, public or not."""
    standing = select(Entry).where(
        Entry.account_id == account_id, Entry.state.in_(STANDING_STATES)
    )
    oldest = standing.order_by(Entry.entered_at, Entry.id).limit(MOST_OWN)
    return db.session.scalars(oldest).all()


def devices_on(entry_id: int) -> Sequence[EntryDevice]:
    """Return the devices that an entry names."""
    found = select(EntryDevice).where(EntryDevice.entry_id == entry_id)
    return db.session.scalars(found).all()


def parties_of(entry: Entry) -> set[int]:
    """Return who must not decide: the person himself, and both of the trade."""
    parties = {entry.account_id}
    if entry.trade_id is not None:
        trade = db.session.get_one(Trade, entry.trade_id)
        parties |= {trade.poster_id, trade.proposer_id}
    return parties


def last_decision(entry_id: int) -> Decision | None:
    """Return what was decided last, with who did."""
    found = select(Decision).where(Decision.entry_id == entry_id)
    newest = found.order_by(Decision.id.desc()).limit(1)
    return db.session.scalar(newest.options(selectinload(Decision.by)))


def cured_count(account_id: int) -> int:
    """Count the entries of a person that were lifted since the goods came late."""
    found = select(func.count(Entry.id)).where(
        Entry.account_id == account_id, Entry.lift_reason == LiftReason.CURED_LATE
    )
    return db.session.scalar(found) or 0


def all_messages(trade_ids: Iterable[int]) -> Result:
    """Return who wrote what and when in which trade, in the order of writing."""
    found = select(
        Message.trade_id, Message.author_id, Message.sent_at, Message.text
    ).where(Message.trade_id.in_(list(trade_ids)))
    return db.session.execute(found.order_by(Message.trade_id, Message.id))


def notices_sent(account_ids: Iterable[int]) -> dict[tuple[int, int], set[str]]:
    """Return which notices before a due instant were sent, by parcel and reader."""
    keys = select(OutboxMail.key).where(
        OutboxMail.account_id.in_(list(account_ids)), OutboxMail.key.like("due-%")
    )
    found: dict[tuple[int, int], set[str]] = {}
    for key in db.session.scalars(keys):
        name, leg, reader, _ = key.split(":", 3)
        found.setdefault((int(leg), int(reader)), set()).add(name)
    return found


def withheld_ids(now: datetime) -> Sequence[int]:
    """Return the held entries whose time for a decision before listing is over."""
    return _due(Entry.list_at, now, Entry.state == EntryState.HELD)


def undecided_ids(now: datetime) -> Sequence[int]:
    """Return the held entries that nobody decided at all."""
    return _due(Entry.undecided_at, now, Entry.state == EntryState.HELD)


def expired_ids(now: datetime) -> Sequence[int]:
    """Return the public entries whose time is over."""
    return _due(Entry.expires_at, now, Entry.state.in_(PUBLIC))


def unreviewed_ids(now: datetime) -> Sequence[int]:
    """Return the entries that turned red and of which no admin has been told."""
    return _due(Entry.review_by, now, Entry.warned_at.is_(None))


def _due(column, now: datetime, *conditions) -> Sequence[int]:
    due = select(Entry.id).where(column <= now, *conditions)
    return db.session.scalars(due.order_by(column, Entry.id).limit(BATCH)).all()


def found_entry(entry: Entry | None) -> Entry:
    """Return an entry that was looked for, or raise NotFound."""
    if entry is None:
        raise NotFound("その記録はありません。")
    return entry
