"""Tables of mail."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core.db import db, partial_index
from tradeboard.core.japan import ZONE
from tradeboard.notifications.rules import MailMode


class OutboxMail(db.Model):
    """One mail to send; its key says what it tells, so that it is told once.

    `account_id` is whom it concerns, `to` the address on the wire at that moment.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    account_id: Mapped[int | None] = mapped_column(index=True)
    to: Mapped[str]
    language: Mapped[str]
    time_zone: Mapped[str] = mapped_column(default=ZONE)
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


class Notice(db.Model):
    """Something that a member is told on the site; the key tells it once.

    Its sentence is the subject of the template, written for whoever reads it.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column()
    key: Mapped[str] = mapped_column(unique=True)
    template: Mapped[str]
    facts: Mapped[dict[str, Any]] = mapped_column(JSON)
    path: Mapped[str]
    at: Mapped[datetime]
    read_at: Mapped[datetime | None]

    __table_args__ = (
        Index("ix_notice_newest", "account_id", "id"),
        partial_index("ix_notice_unread", "account_id", where="read_at IS NULL"),
        Index("ix_notice_at", "at", "id"),
    )


class MailChoice(db.Model):
    """How a member wants one kind of mail that may be switched off."""

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(primary_key=True)
    mode: Mapped[MailMode]
    changed_at: Mapped[datetime]


class DigestMark(db.Model):
    """Up to which notice a member's daily mail has told."""

    account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    told_notice: Mapped[int]
    told_at: Mapped[datetime]
