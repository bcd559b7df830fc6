"""What the public may know: exact look-up, the list, and the shape for machines."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from sqlalchemy import func, or_, select, tuple_
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import aliased

from tradeboard.accounts.models import Handle
from tradeboard.accounts.rules import devices, handles
from tradeboard.blacklist.models import Entry, EntryDevice
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.rules.entries import PUBLIC
from tradeboard.core.db import db
from tradeboard.core.errors import Unknown
from tradeboard.core.messages import Message
from tradeboard.core.paging import PAGE_SIZE, Cursor
from tradeboard.trades.rules.findings import Finding

JAPAN = timezone(timedelta(hours=9), "JST")
LONGEST_HANDLE = 80
MOST_ENTRIES = 100


@dataclass(frozen=True)
class PublicEntry:
    """What is shown of an entry; nothing else of it leaves the database."""

    id: int
    handle: str
    devices: tuple[str, ...]
    finding: Finding
    listed_at: datetime
    reviewed: bool
    count: int
    expires_at: datetime | None
    under_appeal: bool = False

    @property
    def number(self) -> str:
        """Return what people call it."""
        return wording.entry_number(self.id)

    @property
    def sentence(self) -> Message:
        """Return the finding in words."""
        return wording.sentence(self.finding)


@dataclass(frozen=True)
class Answer:
    """What a look-up found: `none`, `listed` or `under_appeal`."""

    status: str
    as_of: datetime
    entries: list[PublicEntry]


def answer_for(
    *, handle: str | None = None, device: str | None = None, now: datetime
) -> Answer:
    """Look up exactly one name, also a former one, or one device code.

    A name in the shape of a device code is looked up as both: many names of eight
    letters have it. If it cannot be found out, Unknown is raised: that is never the
    same as none.
    """
    code = devices.parse_code(device if device is not None else handle or "")
    try:
        entries = _found(code, handle if device is None else None)
    except (DBAPIError, PoolTimeout) as error:
        db.session.rollback()
        raise Unknown(
            "いま記録を確かめられません。登録の有無はわかりません。"
        ) from error
    return Answer(_status(entries), now, entries)


def as_json(answer: Answer) -> dict[str, Any]:
    """Return an answer as machines read it: codes, and no free text."""
    return {
        "status": answer.status,
        "as_of": answer.as_of.isoformat(),
        "entries": [_entry_as_json(entry) for entry in answer.entries],
    }


def public_page(
    after: Cursor | None = None, *, size: int = PAGE_SIZE
) -> list[PublicEntry]:
    """Return the newest public entries, one more than a page if there are more."""
    page = select(Entry.id).where(Entry.state.in_(PUBLIC))
    if after is not None:
        page = page.where(tuple_(Entry.listed_at, Entry.id) < (after.at, after.id))
    newest = page.order_by(Entry.listed_at.desc(), Entry.id.desc()).limit(size + 1)
    return _read(Entry.id.in_(newest.subquery().select()))


def public_entry(entry_id: int) -> PublicEntry | None:
    """Return an entry as the public sees it, or None while it does not."""
    return next(iter(_read(Entry.id == entry_id)), None)


def _status(entries: Sequence[PublicEntry]) -> str:
    if not entries:
        return "none"
    return "under_appeal" if all(e.under_appeal for e in entries) else "listed"


def _found(code: str | None, handle: str | None) -> list[PublicEntry]:
    conditions = []
    if code is not None:
        names = select(EntryDevice.entry_id).where(EntryDevice.code == code)
        conditions.append(Entry.id.in_(names))
    if handle and len(handle) <= LONGEST_HANDLE:
        skeleton = handles.skeleton(handles.tidied(handle))
        bears = select(Handle.account_id).where(Handle.skeleton == skeleton)
        conditions.append(Entry.account_id.in_(bears))
    return _read(or_(Entry.id.is_(None), *conditions))


def _read(condition) -> list[PublicEntry]:
    """Read public entries with all that is shown of them, in one statement."""
    other = aliased(Entry)
    standing = (
        select(func.count(other.id))
        .where(other.account_id == Entry.account_id, other.state.in_(PUBLIC))
        .scalar_subquery()
    )
    rows = db.session.execute(
        select(
            Entry.id,
            Entry.handle,
            Entry.finding,
            Entry.listed_at,
            Entry.upheld_at,
            Entry.expires_at,
            standing.label("standing"),
            EntryDevice.code,
        )
        .outerjoin(EntryDevice, EntryDevice.entry_id == Entry.id)
        .where(Entry.state.in_(PUBLIC), condition)
        .order_by(Entry.listed_at.desc(), Entry.id.desc(), EntryDevice.code)
        .limit(MOST_ENTRIES * 20)
    )
    found: dict[int, PublicEntry] = {}
    for row in rows:
        before = found.get(row.id)
        codes = (before.devices if before else ()) + ((row.code,) if row.code else ())
        found[row.id] = PublicEntry(
            id=row.id,
            handle=row.handle,
            devices=codes,
            finding=row.finding,
            listed_at=row.listed_at,
            reviewed=row.upheld_at is not None,
            count=row.standing,
            expires_at=row.expires_at,
        )
    return list(found.values())


def _entry_as_json(entry: PublicEntry) -> dict[str, Any]:
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
