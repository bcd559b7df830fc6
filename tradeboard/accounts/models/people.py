"""Tables of people."""

from datetime import datetime

from flask_login import UserMixin
from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.accounts.rules import permissions
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.core.db import db, partial_index
from tradeboard.core.japan import ZONE


def _lowered(context) -> str:
    """Return the address as log-in compares it."""
    return context.get_current_parameters()["email_wire"].lower()


class Account(UserMixin, db.Model):
    """One person; the record beside the name is kept in columns.

    Trades write what they count, feedback how often it said good, fair and bad.

    `standing` is derived: only `services.standing` writes it. `email_rules` is the
    version of the rules that `email_key` was made under; `email_kept_rules` a later
    one under which two people would meet, so that this one kept the former key.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    handle: Mapped[str]
    email: Mapped[str]
    email_wire: Mapped[str]
    email_login: Mapped[str] = mapped_column(index=True, default=_lowered)
    email_key: Mapped[str] = mapped_column(index=True)
    email_kid: Mapped[str]
    email_rules: Mapped[int]
    email_kept_rules: Mapped[int | None]
    email_confirmed_at: Mapped[datetime | None]
    password_hash: Mapped[str]
    role: Mapped[Role] = mapped_column(default=Role.MEMBER)
    standing: Mapped[Standing] = mapped_column(default=Standing.GOOD)
    language: Mapped[str] = mapped_column(default="ja")
    time_zone: Mapped[str] = mapped_column(default=ZONE)
    prefecture: Mapped[str] = mapped_column(default="")
    shows_cards: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime]
    closed_at: Mapped[datetime | None] = mapped_column(index=True)
    erased_at: Mapped[datetime | None]
    completed_count: Mapped[int] = mapped_column(default=0)
    partner_count: Mapped[int] = mapped_column(default=0)
    on_time_count: Mapped[int] = mapped_column(default=0)
    ended_count: Mapped[int] = mapped_column(default=0)
    late_count: Mapped[int] = mapped_column(default=0)
    cancelled_count: Mapped[int] = mapped_column(default=0)
    good_count: Mapped[int] = mapped_column(default=0)
    fair_count: Mapped[int] = mapped_column(default=0)
    bad_count: Mapped[int] = mapped_column(default=0)

    __table_args__ = (
        partial_index(
            "uq_account_email_key_confirmed",
            "email_key",
            where="email_confirmed_at IS NOT NULL AND closed_at IS NULL",
            unique=True,
        ),
        Index(None, "created_at", "id"),
    )

    @property
    def is_staff(self) -> bool:
        """Tell whether this person moderates; what is permitted, `may` tells."""
        return self.role in permissions.STAFF

    def may(self, act: Act | str) -> bool:
        """Tell whether role and standing permit an act (`rules.permissions`)."""
        return permissions.may(self.role, act, self.standing)

    @property
    def is_confirmed(self) -> bool:
        """Tell whether the primary address has been confirmed (B-01)."""
        return self.email_confirmed_at is not None


class Handle(db.Model):
    """A name that a person bears or bore; its skeleton is nobody else's."""

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    shown: Mapped[str]
    skeleton: Mapped[str] = mapped_column(unique=True)
    since: Mapped[datetime]
    current: Mapped[bool] = mapped_column(default=True)


class Restriction(db.Model):
    """One cause that bars a person; each cause adds and ends only its own."""

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    cause: Mapped[str]
    standing: Mapped[Standing]
    since: Mapped[datetime]
    until: Mapped[datetime | None] = mapped_column(index=True)
    ended_at: Mapped[datetime | None]

    __table_args__ = (UniqueConstraint("account_id", "cause"),)


class Block(db.Model):
    """A member wants no offers and no messages from another one."""

    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), primary_key=True)
    blocked_id: Mapped[int] = mapped_column(
        ForeignKey(Account.id), primary_key=True, index=True
    )
    since: Mapped[datetime]
