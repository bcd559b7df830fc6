"""Lists of matches and notes, the oldest first."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, func, or_, select, tuple_
from sqlalchemy.orm import joinedload

from tradeboard.accounts.models import Hold, StaffNote
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.core.paging import PAGE_SIZE, Cursor
from tradeboard.moderation.rules import COUNTED, Which

OPEN = (Hold.decided_at.is_(None), Hold.ended_at.is_(None))
WHICH: dict[Which, tuple[ColumnElement[bool], ...]] = {
    Which.OPEN: (*OPEN, Hold.until.is_not(None)),
    Which.NOTES: (*OPEN, Hold.until.is_(None)),
    Which.DECIDED: (or_(Hold.decided_at.is_not(None), Hold.ended_at.is_not(None)),),
}


def holds(
    which: Which, after: Cursor | None = None, *, by_id: int, size: int = PAGE_SIZE
) -> Sequence[Hold]:
    """Return matches, one more than a page if there is more; decided ones newest first.

    The others stand in the order in which they end. Those of `by_id` are for others.
    """
    newest_first = which is Which.DECIDED
    place = tuple_(Hold.made_at, Hold.id)
    of_others = (Hold.account_id != by_id, Hold.other_id != by_id)
    found = select(Hold).where(*WHICH[which], *of_others)
    if after is not None:
        there = (after.at, after.id)
        found = found.where(place < there if newest_first else place > there)
    columns = (Hold.made_at, Hold.id)
    order = [column.desc() for column in columns] if newest_first else columns
    people = (joinedload(Hold.account), joinedload(Hold.decided_by))
    return db.session.scalars(
        found.options(*people).order_by(*order).limit(size + 1)
    ).all()


def count_holds(which: Which) -> int:
    """Count such matches, up to a bound."""
    some = select(Hold.id).where(*WHICH[which]).limit(COUNTED + 1).subquery()
    return db.session.scalar(select(func.count()).select_from(some)) or 0


def hold_for_desk(hold_id: int) -> Hold:
    """Return a match with both people, or raise NotFound."""
    hold = db.session.scalar(
        select(Hold)
        .where(Hold.id == hold_id)
        .options(
            joinedload(Hold.account),
            joinedload(Hold.other),
            joinedload(Hold.decided_by),
        )
    )
    if hold is None:
        raise NotFound("この一致は見つかりません。")
    return hold


def open_notes(
    after: Cursor | None = None, *, but_of: int | None = None, size: int = PAGE_SIZE
) -> Sequence[StaffNote]:
    """Return notes that nobody has seen, one more than a page if there is more.

    Those about one person, as either of the two, can be left out.
    """
    of_others = (
        StaffNote.account_id.is_distinct_from(but_of),
        StaffNote.other_id.is_distinct_from(but_of),
    )
    found = select(StaffNote).where(StaffNote.seen_at.is_(None))
    if but_of is not None:
        found = found.where(*of_others)
    if after is not None:
        place = tuple_(StaffNote.made_at, StaffNote.id)
        found = found.where(place > (after.at, after.id))
    return db.session.scalars(
        found.options(joinedload(StaffNote.account), joinedload(StaffNote.other))
        .order_by(StaffNote.made_at, StaffNote.id)
        .limit(size + 1)
    ).all()
