"""Appeals that wait for a moderator: overdue on top, since what is due first leads."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import case, func, select, tuple_
from sqlalchemy.orm import selectinload

from tradeboard.blacklist.models import Appeal, Entry, Evidence
from tradeboard.blacklist.queries.appeals import get_appeal
from tradeboard.blacklist.queries.desk.queue import of_others
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.core.db import db
from tradeboard.core.paging import PAGE_SIZE, Cursor


def appeal_queue(
    after: Cursor | None = None, *, by_id: int, size: int = PAGE_SIZE
) -> Sequence[Appeal]:
    """Return open appeals, what is due first on top, one more than a page.

    Those about entries that `by_id` is a party to are for others alone.
    """
    waiting = (
        select(Appeal)
        .join(Entry, Entry.id == Appeal.entry_id)
        .where(Appeal.state == AppealState.OPEN, *of_others(by_id))
    )
    if after is not None:
        waiting = waiting.where(tuple_(Appeal.due_at, Appeal.id) > (after.at, after.id))
    return db.session.scalars(
        waiting.order_by(Appeal.due_at, Appeal.id)
        .options(selectinload(Appeal.entry).selectinload(Entry.account))
        .limit(size + 1)
    ).all()


def count_appeals(now: datetime) -> tuple[int, int]:
    """Count the open appeals, and how many of them are overdue."""
    overdue = case((Appeal.due_at <= now, 1))
    waiting, red = db.session.execute(
        select(func.count(Appeal.id), func.count(overdue)).where(
            Appeal.state == AppealState.OPEN
        )
    ).one()
    return waiting, red


def appeal_for_review(appeal_id: int) -> tuple[Appeal, Sequence[Evidence]]:
    """Return an appeal with what came with it."""
    appeal = get_appeal(appeal_id)
    found = select(Evidence).where(Evidence.appeal_id == appeal_id)
    evidence = db.session.scalars(
        found.order_by(Evidence.id).options(selectinload(Evidence.files))
    ).all()
    return appeal, evidence
