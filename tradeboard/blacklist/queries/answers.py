"""What the public is answered: exact look-ups, one at a time or many at once."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    String,
    bindparam,
    null,
    select,
    type_coerce,
    union,
    union_all,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tradeboard.accounts.models import Handle
from tradeboard.accounts.rules import datafiles, devices, handles
from tradeboard.blacklist.models import Entry, EntryDevice
from tradeboard.blacklist.queries.public import (
    COLUMNS,
    DEVICE,
    ENTRY,
    IS_SHOWN,
    OWN_COLUMNS,
    PublicEntry,
    entry_as_json,
    put_together,
    showing,
)
from tradeboard.core import prepared
from tradeboard.core.among import Among
from tradeboard.core.db import db
from tradeboard.core.errors import Unknown
from tradeboard.core.paging import LARGEST_PAGE
from tradeboard.core.prepared import Ask, Rows
from tradeboard.core.records import dataclass

HANDLE = Handle.__table__

LONGEST_HANDLE = 80
MOST_ROWS = 2000
# So many names that were asked for are kept with how they read.
KEPT = 8192
# What no database keeps: NUL and half letters.
UNKEEPABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True)
class Answer:
    """What a look-up found: `none`, `listed` or `under_appeal`; the newest entries."""

    status: str
    as_of: datetime
    entries: list[PublicEntry]


@dataclass(frozen=True)
class Question:
    """A name or a device code that somebody asks for.

    What is asked for as a name may be a code, too: many a name has its shape.
    """

    handle: str | None = None
    device: str | None = None

    @property
    def code(self) -> str | None:
        """Return the device code that is asked for."""
        return _code(self.device if self.device is not None else self.handle or "")

    @property
    def skeleton(self) -> str | None:
        """Return how the name reads that is asked for."""
        return _reads(self.handle) if self.device is None and self.handle else None


@lru_cache(maxsize=KEPT)
def _code(asked: str) -> str | None:
    return devices.parse_code(asked)


@lru_cache(maxsize=KEPT)
def _reads(name: str) -> str | None:
    """Tell how a name reads; nothing if nobody can be called so."""
    if len(name) > LONGEST_HANDLE or UNKEEPABLE.search(name):
        return None
    return handles.skeleton(handles.tidied(name))


datafiles.forget_with(_reads.cache_clear)


def answer_for(
    *,
    handle: str | None = None,
    device: str | None = None,
    now: datetime,
    ask: Ask = prepared.in_session,
) -> Answer:
    """Look up exactly one name, also a former one, or one device code.

    If it cannot be found out, Unknown is raised: that is never the same as none. `ask`
    puts the one statement to the database.
    """
    question = Question(handle, device)
    with _or_unknown():
        rows = ask(*_statement(question.code, question.skeleton))
    return _answer(_in_order(put_together(rows)), now)


def answers_for(
    asked: Sequence[Question], *, now: datetime, ask: Ask = prepared.in_session
) -> list[Answer]:
    """Look up many at once, in their order, in one statement however many."""
    codes = [question.code for question in asked]
    names = [question.skeleton for question in asked]
    with _or_unknown():
        rows = _found_by_any(set(filter(None, codes)), set(filter(None, names)), ask)
    by_code: dict[str | None, set[int]] = defaultdict(set)
    by_name: dict[str | None, set[int]] = defaultdict(set)
    for name, entry_id, *_, code in rows:
        by_name[name].add(entry_id)
        by_code[code].add(entry_id)
    known = {one.id: one for one in put_together(_once(row[1:] for row in rows))}
    nothing = _answer([], now)
    return [
        _answer(_in_order([known[one] for one in ids]), now) if ids else nothing
        for ids in _each(codes, names, by_code, by_name)
    ]


def _each(codes, names, by_code, by_name) -> Iterator[set[int]]:
    """Return the entries that each question found by its code or by its name."""
    for code, name in zip(codes, names, strict=True):
        found = by_code[code] if code is not None else set()
        yield found | by_name[name] if name is not None else found


def _once(rows: Iterable[Sequence[Any]]) -> Iterable[Sequence[Any]]:
    """Leave out what a second name of the same person found again."""
    return {(row[0], row[-1]): row for row in rows}.values()


def _in_order(entries: list[PublicEntry]) -> list[PublicEntry]:
    """Put the newest first, as both ways of asking do."""
    if len(entries) > 1:
        entries.sort(key=lambda one: (one.listed_at, one.id), reverse=True)
    return entries


def as_json(answer: Answer) -> dict[str, Any]:
    """Return an answer as machines read it: codes, and no free text."""
    return {
        "status": answer.status,
        "as_of": answer.as_of.isoformat(),
        "entries": [entry_as_json(entry) for entry in answer.entries],
    }


COULD_NOT_CHECK = "いま記録を確かめられません。登録の有無はわかりません。"


@contextmanager
def _or_unknown():
    """Turn a failing database into its own answer."""
    try:
        yield
    except (DBAPIError, PoolTimeout) as error:
        db.session.rollback()
        raise Unknown(COULD_NOT_CHECK) from error


def _answer(found: Sequence[PublicEntry], now: datetime) -> Answer:
    """Answer by what was found: listed beats under appeal, and hidden stays hidden."""
    shown = [entry for entry in found if not entry.hidden][:LARGEST_PAGE]
    if not found:
        return Answer("none", now, [])
    if all(entry.under_appeal or entry.hidden for entry in found):
        return Answer("under_appeal", now, shown)
    return Answer("listed", now, shown)


def _either(ids: Select, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Ask for entries by one of two ways; an OR would make PostgreSQL read them all."""
    return Entry.id.in_(union(ids, select(Entry.id).where(condition)))


# Put together once: that would take longer than asking.
_CODE = EntryDevice.code == bindparam("code", type_=String)
_NAMED = select(EntryDevice.entry_id).where(_CODE)
_SKELETON = Handle.skeleton == bindparam("skeleton", type_=String)
_BORNE = Entry.account_id.in_(select(Handle.account_id).where(_SKELETON))
BY_CODE = showing(Entry.id.in_(_NAMED), most=MOST_ROWS)
BY_NAME = showing(_BORNE, most=MOST_ROWS)
BY_EITHER = showing(_either(_NAMED, _BORNE), most=MOST_ROWS)

# The same for many at once: how the name reads that found a row, or nothing, and it.
MOST = bindparam("most", type_=Integer)
# All that stand against a person are found by a name; counting each again costs most.
ALL_OF_THEM = type_coerce(null(), Integer).label("standing")
BY_NAMES = (
    select(HANDLE.c.skeleton, *OWN_COLUMNS, ALL_OF_THEM, DEVICE.c.code)
    .select_from(
        HANDLE.join(ENTRY, ENTRY.c.account_id == HANDLE.c.account_id).outerjoin(
            DEVICE, DEVICE.c.entry_id == ENTRY.c.id
        )
    )
    .where(IS_SHOWN, Among(HANDLE.c.skeleton, "skeletons"))
)
NAMED_BY_ANY = (
    select(DEVICE.c.entry_id).where(Among(DEVICE.c.code, "codes")).correlate(None)
)
BY_CODES = (
    select(type_coerce(null(), String).label("skeleton"), *COLUMNS)
    .select_from(ENTRY.outerjoin(DEVICE, DEVICE.c.entry_id == ENTRY.c.id))
    .where(IS_SHOWN, ENTRY.c.id.in_(NAMED_BY_ANY))
)
EITHER = union_all(BY_NAMES, BY_CODES).subquery()
ANY_NAME = BY_NAMES.limit(MOST)
ANY_OF_BOTH = select(EITHER).limit(MOST)


def _statement(code: str | None, skeleton: str | None) -> tuple[Select, dict[str, Any]]:
    """Return what to ask for one name, one code, or what may be either."""
    if code is None:
        return BY_NAME, {"skeleton": skeleton}
    if skeleton is None:
        return BY_CODE, {"code": code}
    return BY_EITHER, {"code": code, "skeleton": skeleton}


def _found_by_any(codes: set[str], skeletons: set[str], ask: Ask) -> Rows:
    """Read what names any of these; rather nothing at all than a part of it."""
    most = MOST_ROWS * (1 + len(codes) + len(skeletons))
    asked: dict[str, Any] = {"skeletons": sorted(skeletons), "most": most}
    if codes:
        asked["codes"] = sorted(codes)
    rows = ask(ANY_OF_BOTH if codes else ANY_NAME, asked)
    if len(rows) >= most:
        raise Unknown(COULD_NOT_CHECK)
    return rows
