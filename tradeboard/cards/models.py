"""Tables of cards that members have or want."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.accounts.models import Account
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core.db import db


class Card(db.Model):
    """Some copies of a card on a member's have or want list.

    `key` is the name as it is searched: cards match when their keys are equal, and
    their set codes too where both name one.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    side: Mapped[CardSide]
    key: Mapped[str]
    name: Mapped[str]
    game: Mapped[str] = mapped_column(default="")
    set_code: Mapped[str] = mapped_column(default="")
    rarity: Mapped[str] = mapped_column(default="")
    language: Mapped[str] = mapped_column(default="")
    condition: Mapped[str] = mapped_column(default="")
    quantity: Mapped[int]
    added_at: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint(
            "account_id",
            "side",
            "key",
            "set_code",
            "rarity",
            "language",
            "condition",
            name="uq_card_same",
        ),
        Index("ix_card_key", "side", "key", "account_id"),
        CheckConstraint("quantity > 0", name="some"),
    )


class MatchNews(db.Model):
    """Which partners a member has been told of, at most daily."""

    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), primary_key=True)
    told_at: Mapped[datetime] = mapped_column(index=True)
    partners: Mapped[list[Any]] = mapped_column(JSON)
