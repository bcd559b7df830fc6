"""Entries and the browsers on them."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models import Account, Device
from tradeboard.blacklist.rules.entries import PUBLIC, EntryState, LiftReason
from tradeboard.core.db import db, partial_index
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.findings import Finding

if TYPE_CHECKING:
    from tradeboard.blacklist.models.cases import Decision, Evidence


class Entry(db.Model):
    """One person's default in one trade, under the handle borne at that moment.

    `facts` is a snapshot of what was known; nothing of it is public but the finding.
    `email_hash` and `phone_hashes` are keyed, and go when the entry ends. `review_by`
    is when a waiting entry turns red; it is null while nothing waits for a moderator.
    `upheld_at` is when a moderator stood behind it, also for one listed by hand.
    `appealed_at` is since when an appeal is open, `hidden_at` since when its facts are
    hidden because that one is overdue, `purged_at` when its evidence was deleted.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    trade_id: Mapped[int | None] = mapped_column(ForeignKey(Trade.id))
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    handle: Mapped[str]
    finding: Mapped[Finding]
    state: Mapped[EntryState]
    due_at: Mapped[datetime | None]
    entered_at: Mapped[datetime]
    listed_at: Mapped[datetime | None] = mapped_column()
    upheld_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    list_at: Mapped[datetime | None] = mapped_column(index=True)
    undecided_at: Mapped[datetime | None] = mapped_column(index=True)
    expires_at: Mapped[datetime | None] = mapped_column(index=True)
    review_by: Mapped[datetime | None] = mapped_column()
    warned_at: Mapped[datetime | None]
    appealed_at: Mapped[datetime | None]
    hidden_at: Mapped[datetime | None]
    purged_at: Mapped[datetime | None]
    lift_reason: Mapped[LiftReason | None]
    email_hash: Mapped[str | None] = mapped_column(index=True)
    email_kid: Mapped[str | None]
    phone_hashes: Mapped[list[Any]] = mapped_column(JSON, default=list)
    facts: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    version: Mapped[int] = mapped_column()

    account: Mapped[Account] = relationship(lazy="raise_on_sql")
    trade: Mapped[Trade | None] = relationship(lazy="raise_on_sql")
    devices: Mapped[list["EntryDevice"]] = relationship(
        order_by="EntryDevice.code", lazy="raise_on_sql"
    )
    decisions: Mapped[list["Decision"]] = relationship(
        order_by="Decision.id", lazy="raise_on_sql"
    )
    evidence: Mapped[list["Evidence"]] = relationship(
        order_by="Evidence.id", lazy="raise_on_sql"
    )

    @property
    def number(self) -> str:
        """Return what people call it: `E-204`."""
        return f"E-{self.id}"

    @property
    def is_public(self) -> bool:
        """Tell whether anybody may see it."""
        return self.state in PUBLIC

    @property
    def shown_state(self) -> EntryState:
        """Return the state in words: one listed by hand has been reviewed."""
        reviewed = self.state is EntryState.LISTED and self.upheld_at is not None
        return EntryState.UPHELD if reviewed else self.state

    __mapper_args__ = {"version_id_col": version}
    __table_args__ = (
        UniqueConstraint("trade_id", "account_id"),
        partial_index("ix_entry_review", review_by, id, where="review_by IS NOT NULL"),
        partial_index(
            "ix_entry_public",
            listed_at.desc(),
            id.desc(),
            where="state IN ('listed', 'upheld')",
        ),
        Index(None, "account_id", "id"),
    )


class EntryDevice(db.Model):
    """A device that the person used between the agreement and the default."""

    id: Mapped[int] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey(Entry.id))
    device_id: Mapped[int] = mapped_column(ForeignKey(Device.id), index=True)
    code: Mapped[str] = mapped_column(index=True)

    __table_args__ = (UniqueConstraint("entry_id", "device_id"),)
