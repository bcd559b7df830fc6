"""Read the audit log."""

from collections.abc import Sequence

from sqlalchemy import select

from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db


def rows_about(object: str, *, limit: int = 100) -> Sequence[AuditRow]:
    """Return what was recorded about one thing, oldest first."""
    found = select(AuditRow).where(AuditRow.object == object).order_by(AuditRow.seq)
    return db.session.scalars(found.limit(limit)).all()


def rows_of(
    object: str, action: str, *, before: int | None = None, limit: int = 50
) -> Sequence[AuditRow]:
    """Return how often one thing happened to another, newest first."""
    found = select(AuditRow).where(AuditRow.object == object, AuditRow.action == action)
    if before is not None:
        found = found.where(AuditRow.seq < before)
    return db.session.scalars(found.order_by(AuditRow.seq.desc()).limit(limit)).all()


def newest(*, before: int | None = None, limit: int = 50) -> Sequence[AuditRow]:
    """Return the newest rows, or those before a number."""
    found = select(AuditRow).order_by(AuditRow.seq.desc()).limit(limit)
    if before is not None:
        found = found.where(AuditRow.seq < before)
    return db.session.scalars(found).all()
