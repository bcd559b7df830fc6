"""Read the feed, and what it needs to know before it grows."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import func, select

from tradeboard.blacklist.models import Change, FeedHead
from tradeboard.core.db import db


def changes_since(seq: int, limit: int) -> Sequence[Change]:
    """Return what changed after a number, in order, one more if there is more."""
    newer = select(Change).where(Change.seq > seq)
    return db.session.scalars(newer.order_by(Change.seq).limit(limit + 1)).all()


def read_one_snapshot() -> None:
    """Let the session see one moment until it ends, whatever others commit.

    SQLite's readers always do.
    """
    db.session.rollback()
    if db.engine.dialect.name == "postgresql":
        db.session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def last_seq() -> int:
    """Return the number of the newest change, 0 before the first."""
    return db.session.scalar(select(FeedHead.seq)) or 0


def last_bodies(entry_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """Return what mirrors were last told of entries; what they never saw is absent."""
    newest = (
        select(func.max(Change.seq))
        .where(Change.entry_id.in_(set(entry_ids)))
        .group_by(Change.entry_id)
    )
    found = select(Change.entry_id, Change.body).where(Change.seq.in_(newest))
    return {row.entry_id: row.body for row in db.session.execute(found)}
