"""Read entries as the public sees them, and write them for machines."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, literal_column, select, tuple_

from tradeboard.blacklist.models import Entry, EntryDevice
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.rules.entries import PUBLIC
from tradeboard.core.db import db
from tradeboard.core.japan import JAPAN
from tradeboard.core.messages import Message
from tradeboard.core.paging import PAGE_SIZE, Cursor
from tradeboard.core.records import dataclass
from tradeboard.trades.rules.findings import Finding

BATCH = 500

# Written out, since SQLite uses the index of public entries for no parameters.
STATES: list[ColumnElement[str]] = [
    literal_column("'" + state + "'") for state in sorted(PUBLIC)
]
IS_PUBLIC = Entry.state.in_(STATES)


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
    return read(showing(Entry.id.in_(newest.subquery().select())))


def public_entry(entry_id: int) -> PublicEntry | None:
    """Return an entry as the public sees it, or None while it does not."""
    found = read(showing((Entry.id == entry_id) & Entry.hidden_at.is_(None)))
    return next(iter(found), None)


def public_entries_whole(account_ids: Collection[int]) -> dict[int, PublicEntry]:
    """Return all that mirrors may know of people, hidden entries too, by number."""
    found = read(showing(Entry.account_id.in_(account_ids)))
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
        yield sorted(read(showing(Entry.id.in_(ids))), key=lambda entry: entry.id)


# What follows asks for the state of rows that were found by other columns: in lower
# case, as it is, so that no plan walks along all public entries to find a person's.
ENTRY, DEVICE = Entry.__table__, EntryDevice.__table__
OTHER = ENTRY.alias()
STANDING = (
    select(func.count(OTHER.c.id))
    .where(
        OTHER.c.account_id == ENTRY.c.account_id,
        func.lower(OTHER.c.state).in_(STATES),
        OTHER.c.hidden_at.is_(None),
    )
    .scalar_subquery()
)
# What is shown of an entry, but for how many its person has.
OWN_COLUMNS = (
    ENTRY.c.id,
    ENTRY.c.account_id,
    ENTRY.c.handle,
    ENTRY.c.finding,
    ENTRY.c.listed_at,
    ENTRY.c.upheld_at,
    ENTRY.c.expires_at,
    ENTRY.c.appealed_at,
    ENTRY.c.hidden_at,
)
COLUMNS = (*OWN_COLUMNS, STANDING.label("standing"), DEVICE.c.code)
NAMES = [column.key for column in OWN_COLUMNS]
ACCOUNT, HIDDEN = (NAMES.index(name) for name in ("account_id", "hidden_at"))
IS_SHOWN = func.lower(ENTRY.c.state).in_(STATES)
SHOWN = (
    select(*COLUMNS)
    .select_from(ENTRY.outerjoin(DEVICE, DEVICE.c.entry_id == ENTRY.c.id))
    .where(IS_SHOWN)
    .order_by(ENTRY.c.listed_at.desc(), ENTRY.c.id.desc(), DEVICE.c.code)
)


def showing(condition: ColumnElement[bool], *, most: int | None = None) -> Select:
    """Ask for public entries with all that is shown of them.

    With `most`, at most so many rows are read: one for each device of an entry.
    """
    return SHOWN.where(condition).limit(most)


def read(statement: Select) -> list[PublicEntry]:
    """Read what `showing` asks for.

    Past the session, which would spend more on it than the database.
    """
    return put_together(db.session.connection().execute(statement).all())


def put_together(rows: Iterable[Sequence[Any]]) -> list[PublicEntry]:
    """Make entries of rows as `COLUMNS` has them, one for each device.

    Where a row does not say how many its person has, all of them are among the rows.
    """
    codes: dict[int, list[str]] = {}
    found: dict[int, Sequence[Any]] = {}
    theirs: Counter[int] = Counter()
    for row in rows:
        entry_id, code = row[0], row[-1]
        if entry_id not in found:
            found[entry_id], codes[entry_id] = row, []
            theirs[row[ACCOUNT]] += row[HIDDEN] is None
        if code:
            codes[entry_id].append(code)
    return [_entry(row, sorted(codes[row[0]]), theirs) for row in found.values()]


def _entry(row: Sequence[Any], codes: list[str], theirs: Counter[int]) -> PublicEntry:
    entry_id, account_id, handle, finding, listed_at, upheld_at, *rest = row
    expires_at, appealed_at, hidden_at, standing, _ = rest
    return PublicEntry(
        id=entry_id,
        account_id=account_id,
        handle=handle,
        devices=tuple(codes),
        finding=finding,
        listed_at=listed_at,
        reviewed=upheld_at is not None,
        count=theirs[account_id] if standing is None else standing,
        expires_at=expires_at,
        under_appeal=appealed_at is not None,
        hidden=hidden_at is not None,
    )


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
