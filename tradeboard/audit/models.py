"""The table of the audit log: append-only, held by triggers on both databases."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core.db import db


class AuditRow(db.Model):
    """Who did what to what, and when; ids and codes only, no personal data.

    `actor_id` is null when time or the system acted. `object` reads `entry:12`. Each
    row is chained to the one before it: `hash` is the keyed hash of `prev_hash` and of
    the row. Rows from before there was a chain have none of the three.
    """

    seq: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    actor_id: Mapped[int | None]
    action: Mapped[str]
    object: Mapped[str]
    body: Mapped[dict[str, Any]] = mapped_column(JSON)
    kid: Mapped[str | None]
    prev_hash: Mapped[str | None]
    hash: Mapped[str | None]

    __table_args__ = (
        Index(None, "object", "seq"),
        Index(None, "actor_id", "seq"),
        Index("uq_audit_row_prev_hash", "prev_hash", unique=True),
    )


class AuditHead(db.Model):
    """The last link of the chain, in one row that every writer locks, last of all."""

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int]
    hash: Mapped[str]
