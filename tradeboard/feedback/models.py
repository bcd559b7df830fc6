"""Table of feedback."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models import Account
from tradeboard.core.db import db, partial_index
from tradeboard.feedback.rules import Grade, HideReason
from tradeboard.trades.models import Trade


class Feedback(db.Model):
    """What one side says of a trade; it is never edited.

    Nobody but its writer sees it before `shown_at`; from `hidden_at` on nobody sees
    the words.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    trade_id: Mapped[int] = mapped_column(ForeignKey(Trade.id))
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    about_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    grade: Mapped[Grade]
    tags: Mapped[list[str]] = mapped_column(JSON)
    words: Mapped[str] = mapped_column(default="")
    written_at: Mapped[datetime]
    reveal_at: Mapped[datetime]
    shown_at: Mapped[datetime | None]
    hidden_at: Mapped[datetime | None]
    hidden_reason: Mapped[HideReason | None]

    by: Mapped[Account] = relationship(foreign_keys=[by_id], lazy="raise_on_sql")
    about: Mapped[Account] = relationship(foreign_keys=[about_id], lazy="raise_on_sql")

    __table_args__ = (
        UniqueConstraint("trade_id", "by_id"),
        Index("ix_feedback_about", "about_id", "shown_at", "id"),
        partial_index(
            "ix_feedback_waiting", "reveal_at", "id", where="shown_at IS NULL"
        ),
        CheckConstraint("by_id <> about_id", name="not_of_oneself"),
    )
