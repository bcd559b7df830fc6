"""What the public is answered: exact look-ups, one at a time or many at once."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, select, union
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tradeboard.accounts.models import Handle
from tradeboard.accounts.rules import devices, handles
from tradeboard.blacklist.models import Entry, EntryDevice
from tradeboard.blacklist.queries.public import PublicEntry, entry_as_json, read
from tradeboard.core.db import db
from tradeboard.core.errors import Unknown

LONGEST_HANDLE = 80
MOST_ROWS = 2000


@dataclass(frozen=True)
class Answer:
    """What a look-up found: `none`, `listed` or `under_appeal`."""

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
        asked = self.device if self.device is not None else self.handle
        return devices.parse_code(asked or "")

    @property
    def skeleton(self) -> str | None:
        """Return how the name reads that is asked for."""
        name = self.handle
        if self.device is not None or not name or not _can_be_borne(name):
            return None
        return handles.skeleton(handles.tidied(name))


def _can_be_borne(name: str) -> bool:
    """Tell whether anybody can be called so; no database keeps NUL or half letters."""
    return len(name) <= LONGEST_HANDLE and not any(
        character == "\0" or "\ud800" <= character <= "\udfff" for character in name
    )


def answer_for(
    *, handle: str | None = None, device: str | None = None, now: datetime
) -> Answer:
    """Look up exactly one name, also a former one, or one device code.

    If it cannot be found out, Unknown is raised: that is never the same as none.
    """
    question = Question(handle, device)
    with _or_unknown():
        return _answer(_found(question.code, question.skeleton), now)


def answers_for(asked: Sequence[Question], *, now: datetime) -> list[Answer]:
    """Look up many at once, in their order, in two statements however many."""
    codes = [question.code for question in asked]
    names = [question.skeleton for question in asked]
    with _or_unknown():
        bearers = _bearers(filter(None, names))
        found = _found_by_any(set(filter(None, codes)), set().union(*bearers.values()))
    by_code: dict[str | None, list[PublicEntry]] = defaultdict(list)
    by_account: dict[int, list[PublicEntry]] = defaultdict(list)
    for entry in found:
        by_account[entry.account_id].append(entry)
        for code in entry.devices:
            by_code[code].append(entry)
    answers = []
    for asked_code, name in zip(codes, names, strict=True):
        borne = [entry for one in bearers[name] for entry in by_account[one]]
        both = {entry.id: entry for entry in [*by_code[asked_code], *borne]}
        answers.append(_answer(list(both.values()), now))
    return answers


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
    shown = [entry for entry in found if not entry.hidden]
    if not found:
        return Answer("none", now, [])
    if all(entry.under_appeal or entry.hidden for entry in found):
        return Answer("under_appeal", now, shown)
    return Answer("listed", now, shown)


def _found(code: str | None, skeleton: str | None) -> list[PublicEntry]:
    names = select(EntryDevice.entry_id).where(EntryDevice.code == code)
    bears = select(Handle.account_id).where(Handle.skeleton == skeleton)
    if code is None:
        return read(Entry.account_id.in_(bears), most=MOST_ROWS)
    if skeleton is None:
        return read(Entry.id.in_(names), most=MOST_ROWS)
    return read(_either(names, Entry.account_id.in_(bears)), most=MOST_ROWS)


def _found_by_any(codes: set[str], account_ids: set[int]) -> list[PublicEntry]:
    """Read what names any of these; rather nothing at all than a part of it."""
    named = select(EntryDevice.entry_id).where(EntryDevice.code.in_(codes))
    most = MOST_ROWS * (1 + len(codes) + len(account_ids))
    found = read(_either(named, Entry.account_id.in_(account_ids)), most=most)
    if sum(max(1, len(entry.devices)) for entry in found) >= most:
        raise Unknown(COULD_NOT_CHECK)
    return found


def _either(ids: Select, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Ask for entries by one of two ways; an OR would make PostgreSQL read them all."""
    return Entry.id.in_(union(ids, select(Entry.id).where(condition)))


def _bearers(skeletons: Iterable[str]) -> dict[str | None, set[int]]:
    """Return who bears or bore these names."""
    borne = select(Handle.skeleton, Handle.account_id)
    found: dict[str | None, set[int]] = defaultdict(set)
    for row in db.session.execute(borne.where(Handle.skeleton.in_(set(skeletons)))):
        found[row.skeleton].add(row.account_id)
    return found
