"""What is watched for, who is held for it, and what moderators should have seen."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models.devices import Device
from tradeboard.accounts.models.people import Account
from tradeboard.accounts.rules.email import DomainVerdict
from tradeboard.accounts.rules.holds import HoldDecision, NoteKind, Signal
from tradeboard.core.db import db, partial_index


class Watch(db.Model):
    """An identifier by which a barred person would be known again.

    Each cause (such as `entry:12`) adds its own and ends its own, as restrictions do.
    A mailbox or number is a keyed hash with its key id, a browser is its row. `until`
    is when it stops matching, since numbers are given to others.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    cause: Mapped[str] = mapped_column(index=True)
    signal: Mapped[Signal]
    hash: Mapped[str | None]
    kid: Mapped[str | None]
    device_id: Mapped[int | None] = mapped_column(ForeignKey(Device.id), index=True)
    since: Mapped[datetime]
    until: Mapped[datetime | None]

    __table_args__ = (
        Index(None, "hash"),
        CheckConstraint("(hash IS NULL) <> (device_id IS NULL)", name="one_value"),
        CheckConstraint("(hash IS NULL) = (kid IS NULL)", name="hash_has_kid"),
    )


class Hold(db.Model):
    """Somebody shares a signal with a barred person; one row for a pair, for ever.

    `account_id` is who is held or noted, `other_id` the barred person, `cause` what
    bars that one. `until` is null for a note, which bars nobody. An ended hold is
    decided or was released by time; either way the pair alarms no more.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    other_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    low_id: Mapped[int]
    high_id: Mapped[int]
    cause: Mapped[str]
    signal: Mapped[Signal]
    device_id: Mapped[int | None] = mapped_column(ForeignKey(Device.id), index=True)
    made_at: Mapped[datetime]
    until: Mapped[datetime | None]
    statement: Mapped[str] = mapped_column(default="")
    stated_at: Mapped[datetime | None]
    decision: Mapped[HoldDecision | None]
    decided_at: Mapped[datetime | None]
    decided_by_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id))
    sentence: Mapped[str] = mapped_column(default="")
    ended_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column()

    account: Mapped[Account] = relationship(
        foreign_keys=[account_id], lazy="raise_on_sql"
    )
    other: Mapped[Account] = relationship(foreign_keys=[other_id], lazy="raise_on_sql")
    decided_by: Mapped[Account | None] = relationship(
        foreign_keys=[decided_by_id], lazy="raise_on_sql"
    )

    @property
    def is_note(self) -> bool:
        """Tell whether it bars nobody."""
        return self.until is None

    __mapper_args__ = {"version_id_col": version}
    __table_args__ = (
        UniqueConstraint("low_id", "high_id"),
        CheckConstraint("low_id < high_id", name="pair_in_order"),
        partial_index(
            "ix_hold_open",
            "made_at",
            "id",
            where="decided_at IS NULL AND ended_at IS NULL",
        ),
        partial_index("ix_hold_until", "until", "id", where="ended_at IS NULL"),
    )


class StaffNote(db.Model):
    """Something about an account that a moderator should have seen; it bars nobody."""

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[NoteKind]
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    other_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id), index=True)
    detail: Mapped[str] = mapped_column(default="")
    made_at: Mapped[datetime]
    seen_at: Mapped[datetime | None]
    seen_by_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id))

    account: Mapped[Account] = relationship(
        foreign_keys=[account_id], lazy="raise_on_sql"
    )
    other: Mapped[Account | None] = relationship(
        foreign_keys=[other_id], lazy="raise_on_sql"
    )

    __table_args__ = (
        partial_index("ix_staff_note_open", "made_at", "id", where="seen_at IS NULL"),
    )


class DomainRule(db.Model):
    """What the operator says of a domain of mailboxes, over the lists that ship."""

    domain: Mapped[str] = mapped_column(primary_key=True)
    verdict: Mapped[DomainVerdict]
    reason: Mapped[str]
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    at: Mapped[datetime]
