"""Tables of reports, warnings, remarks and signals."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models import Account
from tradeboard.core.db import db, partial_index
from tradeboard.listings.models import Listing
from tradeboard.reports.rules import Outcome, Reason, ReportState, Subject
from tradeboard.trades.models import Message


class Report(db.Model):
    """A member tells moderators of a listing, a message or a person."""

    id: Mapped[int] = mapped_column(primary_key=True)
    subject: Mapped[Subject]
    listing_id: Mapped[int | None] = mapped_column(ForeignKey(Listing.id), index=True)
    message_id: Mapped[int | None] = mapped_column(ForeignKey(Message.id), index=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    reporter_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    reason: Mapped[Reason]
    words: Mapped[str] = mapped_column(default="")
    made_at: Mapped[datetime]
    state: Mapped[ReportState] = mapped_column(default=ReportState.OPEN)
    claimed_by_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id))
    claimed_at: Mapped[datetime | None]
    settled_at: Mapped[datetime | None]
    settled_by_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id))
    outcome: Mapped[Outcome | None]
    sentence: Mapped[str] = mapped_column(default="")
    version: Mapped[int] = mapped_column()

    account: Mapped[Account] = relationship(
        foreign_keys=[account_id], lazy="raise_on_sql"
    )
    reporter: Mapped[Account] = relationship(
        foreign_keys=[reporter_id], lazy="raise_on_sql"
    )

    __mapper_args__ = {"version_id_col": version}
    __table_args__ = (
        partial_index("ix_report_open", "made_at", "id", where="state = 'open'"),
        Index(None, "reporter_id", "made_at"),
    )


class MemberWarning(db.Model):
    """A moderator tells a member which rule something broke; it bars nothing."""

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    reason: Mapped[Reason]
    sentence: Mapped[str]
    at: Mapped[datetime]
    seen_at: Mapped[datetime | None]


class Remark(db.Model):
    """What a moderator writes down of a person, for moderators alone."""

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    words: Mapped[str]
    at: Mapped[datetime]

    by: Mapped[Account] = relationship(foreign_keys=[by_id], lazy="raise_on_sql")


class SignalSeen(db.Model):
    """A signal of spam that a moderator has looked at; the key names what it was."""

    key: Mapped[str] = mapped_column(primary_key=True)
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    at: Mapped[datetime]
