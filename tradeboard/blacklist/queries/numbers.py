"""Count what the board has done, of what was public once; nothing else is counted."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import (
    ColumnElement,
    Select,
    String,
    case,
    func,
    literal_column,
    select,
    type_coerce,
    union_all,
)
from sqlalchemy.orm import InstrumentedAttribute

from tradeboard.blacklist.models import Appeal, Decision, Entry
from tradeboard.blacklist.rules import numbers as rules
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.rules.numbers import Kind, Tally, Typical
from tradeboard.core.db import db
from tradeboard.core.records import dataclass

# Of more than these, the newest tell how long things take.
MOST_DURATIONS = 10_000
DECIDED = (AppealState.GRANTED, AppealState.REFUSED)
WAS_PUBLIC = Entry.listed_at.is_not(None)


@dataclass(frozen=True)
class Numbers:
    """What happened, and how long a first decision and that of an appeal took."""

    tally: Tally
    first_decision: Typical
    appeal: Typical


def read(now: datetime) -> Numbers:
    """Return the numbers of the board: three statements, however long its list."""
    return Numbers(
        tally=_tally(rules.month_starts(now)),
        first_decision=_typical(_until_first_decision()),
        appeal=_typical(_until_appeal_is_decided()),
    )


def _tally(starts: Sequence[datetime]) -> Tally:
    events = union_all(*_events(starts)).subquery()
    kind, reason, month = events.c
    tally = Tally(starts)
    found = select(kind, reason, month, func.count()).group_by(kind, reason, month)
    for what, why, place, count in db.session.execute(found):
        tally.counts[what, place] += count
        if what == Kind.LIFTED:
            tally.reasons[why] += count
    return tally


def _events(starts: Sequence[datetime]) -> list[Select]:
    """Return what is counted: its kind, the reason, and the place of its month."""
    upheld, ended = Entry.upheld_at.is_not(None), Entry.ended_at.is_not(None)
    unreviewed = Entry.state == EntryState.LISTED, Entry.upheld_at.is_(None)
    state, reason = _text(Entry.state), _text(Entry.lift_reason)
    return [
        select(*_event(Kind.LISTED), _place(Entry.listed_at, starts)).where(WAS_PUBLIC),
        select(*_event(Kind.UPHELD), _place(Entry.upheld_at, starts)).where(
            WAS_PUBLIC, upheld
        ),
        select(state, reason, _place(Entry.ended_at, starts)).where(WAS_PUBLIC, ended),
        select(*_event(Kind.UNREVIEWED), literal_column("0")).where(
            WAS_PUBLIC, *unreviewed
        ),
        select(*_event(Kind.APPEALED), _place(Appeal.made_at, starts)),
        select(
            _text(Appeal.state), _none("reason"), _place(Appeal.decided_at, starts)
        ).where(Appeal.decided_at.is_not(None)),
    ]


def _event(kind: Kind) -> tuple[ColumnElement[str], ColumnElement[str]]:
    return literal_column(f"'{kind.value}'", String).label("kind"), _none("reason")


def _none(name: str) -> ColumnElement[str]:
    return literal_column("''", String).label(name)


def _text(column: InstrumentedAttribute) -> ColumnElement[str]:
    return type_coerce(column, String).label(column.key)


def _place(
    column: InstrumentedAttribute, starts: Sequence[datetime]
) -> ColumnElement[int]:
    """Return the place of an instant's month, the oldest being 1; 0 is before."""
    newest_first = reversed(list(enumerate(starts, 1)))
    return case(*((column >= start, n) for n, start in newest_first), else_=0)


def _until_first_decision() -> Select:
    """Find when the newest were listed, and when a moderator first decided.

    What a moderator made public himself waited for nobody.
    """
    first = func.min(Decision.at)
    return (
        select(Entry.listed_at, first)
        .join(Decision, Decision.entry_id == Entry.id)
        .where(WAS_PUBLIC, Decision.by_id.is_not(None))
        .group_by(Entry.id, Entry.listed_at)
        .having(first > Entry.listed_at)
        .order_by(Entry.listed_at.desc(), Entry.id.desc())
        .limit(MOST_DURATIONS)
    )


def _until_appeal_is_decided() -> Select:
    return (
        select(Appeal.made_at, Appeal.decided_at)
        .where(Appeal.state.in_(DECIDED))
        .order_by(Appeal.decided_at.desc(), Appeal.id.desc())
        .limit(MOST_DURATIONS)
    )


def _typical(found: Select) -> Typical:
    rows = db.session.execute(found)
    return rules.typical([end - begin for begin, end in rows])
