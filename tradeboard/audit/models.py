"""The table of the audit log: append-only, held by triggers on both databases."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core.db import db


class AuditRow(db.Model):
    """Who did what to what, and when; ids and codes only, no personal data.

    `actor_id` is null when time or the system acted. `object` reads `entry:12`.
    """

    seq: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    actor_id: Mapped[int | None]
    action: Mapped[str]
    object: Mapped[str]
    body: Mapped[dict[str, Any]] = mapped_column(JSON)

    __table_args__ = (Index(None, "object", "seq"), Index(None, "actor_id", "seq"))
