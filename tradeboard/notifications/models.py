"""Tables of mail."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core.db import db, partial_index


class OutboxMail(db.Model):
    """One mail to send; its key says what it tells, so that it is told once.

    `account_id` is whom it concerns, `to` the address on the wire at that moment.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    account_id: Mapped[int | None] = mapped_column(index=True)
    to: Mapped[str]
    language: Mapped[str]
    template: Mapped[str]
    facts: Mapped[dict[str, Any]] = mapped_column(JSON)
    message_id: Mapped[str]
    queued_at: Mapped[datetime]
    next_try_at: Mapped[datetime]
    tries: Mapped[int] = mapped_column(default=0)
    error: Mapped[str | None]
    sent_at: Mapped[datetime | None]
    dead_at: Mapped[datetime | None]

    __table_args__ = (
        partial_index(
            "ix_outbox_mail_waiting",
            "next_try_at",
            "id",
            where="sent_at IS NULL AND dead_at IS NULL",
        ),
        Index("ix_outbox_mail_queued", "queued_at", "id"),
    )
