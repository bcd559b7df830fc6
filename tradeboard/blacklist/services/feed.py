"""Tell mirrors what the public sees change, when all else of a transaction is done.

The head of the feed is locked late: numbers without gaps cost the shortest possible
queue. Only the head of the audit log is locked after it.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import event, select, update
from sqlalchemy.orm import Session

from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Change, Entry, FeedHead
from tradeboard.blacklist.queries import PublicEntry
from tradeboard.blacklist.rules.feed import TOMBSTONES, ChangeType
from tradeboard.core.db import changed, db
from tradeboard.core.records import dataclass

PENDING = "changes to tell"


@dataclass(frozen=True)
class Told:
    """What is to be told of an entry when the transaction ends."""

    entry_id: int
    account_id: int
    type: ChangeType
    at: datetime


def tell(entry: Entry, type: ChangeType, *, now: datetime) -> None:
    """Let mirrors know how an entry changed, when the transaction ends.

    They read the entry as it is then. What the public never saw leaves no trace, and
    where the person's other entries read differently now, they are told as well.
    """
    told = Told(entry.id, entry.account_id, type, now)
    pending = db.session.info.setdefault(PENDING, [])
    if told not in pending:
        pending.append(told)


def append() -> None:
    """Write what was told into the feed, in the transaction at hand."""
    told: list[Told] = db.session.info.pop(PENDING, [])
    if not told:
        return
    db.session.flush()
    head = db.session.scalars(
        select(FeedHead).with_for_update().execution_options(populate_existing=True)
    ).one()
    shown = queries.public_entries_whole({one.account_id for one in told})
    before = queries.last_bodies([*shown, *(one.entry_id for one in told)])
    for change in [*_told(told, shown, before), *_amended(told, shown, before)]:
        head.seq += 1
        change.seq = head.seq
        db.session.add(change)
    db.session.flush()


def _told(
    told: Iterable[Told],
    shown: dict[int, PublicEntry],
    before: dict[int, dict[str, Any]],
) -> Iterator[Change]:
    for one in told:
        entry = shown.get(one.entry_id)
        if one.type not in TOMBSTONES and entry is not None:
            yield _whole(entry, one.type, one.at)
        elif one.type in TOMBSTONES and one.entry_id in before:
            _forget(one.entry_id)
            yield Change(
                at=one.at,
                type=one.type,
                entry_id=one.entry_id,
                body={"id": one.entry_id},
            )


def _amended(
    told: Iterable[Told],
    shown: dict[int, PublicEntry],
    before: dict[int, dict[str, Any]],
) -> Iterator[Change]:
    """Tell of the same people's other entries that count or end differently now."""
    at = max(one.at for one in told)
    for entry in shown.values():
        if entry.id in {one.entry_id for one in told}:
            continue
        if entry.id not in before:
            yield _whole(entry, ChangeType.LISTED, at)
        elif queries.entry_as_json(entry) != before[entry.id]:
            yield _whole(entry, ChangeType.AMENDED, at)


def _whole(entry: PublicEntry, type: ChangeType, at: datetime) -> Change:
    """Return a change with the whole entry; a hidden one stays so to mirrors."""
    return Change(
        at=at,
        type=ChangeType.HIDDEN if entry.hidden else type,
        entry_id=entry.id,
        body=queries.entry_as_json(entry),
    )


def _forget(entry_id: int) -> None:
    """Leave the number alone of what was told before: an ended entry names nobody."""
    earlier = update(Change).where(Change.entry_id == entry_id)
    changed(earlier.values(body={"id": entry_id}))


# Inserted before what the audit log does then, whichever was imported first.
@event.listens_for(db.session, "before_commit", insert=True)
def _append(session: Session) -> None:
    if not session.in_nested_transaction():
        append()


@event.listens_for(db.session, "after_soft_rollback")
def _drop(session: Session, transaction) -> None:
    if not transaction.nested:
        session.info.pop(PENDING, None)
