"""Read entries as the public sees them, and write them for machines."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from sqlalchemy import bindparam, func, select, tuple_
from sqlalchemy.orm import aliased

from tradeboard.blacklist.models import Entry, EntryDevice
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.rules.entries import PUBLIC
from tradeboard.core.db import db
from tradeboard.core.messages import Message
from tradeboard.core.paging import PAGE_SIZE, Cursor
from tradeboard.trades.rules.findings import Finding

JAPAN = timezone(timedelta(hours=9), "JST")
BATCH = 500

# Written out, since SQLite uses the index of public entries for no parameters.
IS_PUBLIC = Entry.state.in_(
    bindparam("public", sorted(PUBLIC), expanding=True, literal_execute=True)
)


@dataclass(frozen=True)
class PublicEntry:
    """What is shown of an entry; nothing else of it leaves the database.

    Of a `hidden` one, whose appeal is overdue, only mirrors see the facts, to know
    whom not to answer `none` about. `account_id` tells whose it is, and is not shown.
    """

    id: int
    account_id: int
    handle: str
    devices: tuple[str, ...]
    finding: Finding
    listed_at: datetime
    reviewed: bool
    count: int
    expires_at: datetime | None
    under_appeal: bool = False
    hidden: bool = False

    @property
    def number(self) -> str:
        """Return what people call it."""
        return wording.entry_number(self.id)

    @property
    def sentence(self) -> Message:
        """Return the finding in words."""
        return wording.sentence(self.finding)


def public_page(
    after: Cursor | None = None, *, size: int = PAGE_SIZE
) -> list[PublicEntry]:
    """Return the newest public entries, one more than a page if there are more."""
    page = select(Entry.id).where(IS_PUBLIC, Entry.hidden_at.is_(None))
    if after is not None:
        page = page.where(tuple_(Entry.listed_at, Entry.id) < (after.at, after.id))
    newest = page.order_by(Entry.listed_at.desc(), Entry.id.desc()).limit(size + 1)
    return read(Entry.id.in_(newest.subquery().select()))


def public_entry(entry_id: int) -> PublicEntry | None:
    """Return an entry as the public sees it, or None while it does not."""
    found = read((Entry.id == entry_id) & Entry.hidden_at.is_(None))
    return next(iter(found), None)


def public_entries_whole(account_ids: Collection[int]) -> dict[int, PublicEntry]:
    """Return all that mirrors may know of people, hidden entries too, by number."""
    found = read(Entry.account_id.in_(account_ids))
    return {entry.id: entry for entry in sorted(found, key=lambda entry: entry.id)}


def all_public() -> Iterator[Sequence[PublicEntry]]:
    """Yield every public entry in the order of numbers, a bounded batch at a time.

    All of it is of one moment only if the session reads one snapshot throughout.
    """
    last = 0
    shown = select(Entry.id).where(Entry.state.in_(PUBLIC), Entry.hidden_at.is_(None))
    while True:
        batch = shown.where(Entry.id > last).order_by(Entry.id).limit(BATCH)
        ids = db.session.scalars(batch).all()
        if not ids:
            return
        last = ids[-1]
        yield sorted(read(Entry.id.in_(ids)), key=lambda entry: entry.id)


def read(condition, *, most: int | None = None) -> list[PublicEntry]:
    """Read public entries with all that is shown of them, in one statement.

    With `most`, at most so many rows are read: one for each device of an entry.
    """
    other = aliased(Entry)
    standing = (
        select(func.count(other.id))
        .where(
            other.account_id == Entry.account_id,
            other.state.in_(PUBLIC),
            other.hidden_at.is_(None),
        )
        .scalar_subquery()
    )
    rows = db.session.execute(
        select(
            Entry.id,
            Entry.account_id,
            Entry.handle,
            Entry.finding,
            Entry.listed_at,
            Entry.upheld_at,
            Entry.expires_at,
            Entry.appealed_at,
            Entry.hidden_at,
            standing.label("standing"),
            EntryDevice.code,
        )
        .outerjoin(EntryDevice, EntryDevice.entry_id == Entry.id)
        .where(Entry.state.in_(PUBLIC), condition)
        .order_by(Entry.listed_at.desc(), Entry.id.desc(), EntryDevice.code)
        .limit(most)
    )
    found: dict[int, PublicEntry] = {}
    for row in rows:
        before = found.get(row.id)
        codes = (before.devices if before else ()) + ((row.code,) if row.code else ())
        found[row.id] = PublicEntry(
            id=row.id,
            account_id=row.account_id,
            handle=row.handle,
            devices=codes,
            finding=row.finding,
            listed_at=row.listed_at,
            reviewed=row.upheld_at is not None,
            count=row.standing,
            expires_at=row.expires_at,
            under_appeal=row.appealed_at is not None,
            hidden=row.hidden_at is not None,
        )
    return list(found.values())


def entry_as_json(entry: PublicEntry) -> dict[str, Any]:
    """Return an entry as machines read it."""
    return {
        "id": entry.id,
        "handle": entry.handle,
        "devices": list(entry.devices),
        "finding": entry.finding.value,
        "month": f"{entry.listed_at.astimezone(JAPAN):%Y-%m}",
        "reviewed": entry.reviewed,
        "under_appeal": entry.under_appeal,
        "count": entry.count,
        "expires": _day(entry.expires_at),
    }


def _day(instant: datetime | None) -> str | None:
    return f"{instant.astimezone(JAPAN):%Y-%m-%d}" if instant is not None else None
