"""Tables of trades."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    CheckConstraint,
    ForeignKey,
    Index,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models import Account
from tradeboard.core.db import db, partial_index
from tradeboard.listings.models import Line, Listing
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.rules.states import (
    Answer,
    Condition,
    LegState,
    Party,
    ProposalKind,
    TradeState,
)


class Trade(db.Model):
    """Two parcels and their clock; `version` refuses the slower of two writers."""

    id: Mapped[int] = mapped_column(primary_key=True)
    listing_id: Mapped[int] = mapped_column(ForeignKey(Listing.id), index=True)
    poster_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    proposer_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    state: Mapped[TradeState] = mapped_column(default=TradeState.NEGOTIATING)
    turn: Mapped[Party | None]
    offer_number: Mapped[int] = mapped_column(default=0)
    terms_number: Mapped[int]
    started_at: Mapped[datetime]
    answer_by: Mapped[datetime | None]
    agreed_at: Mapped[datetime | None]
    call_by: Mapped[datetime | None]
    phone_confirmed_at: Mapped[datetime | None]
    dispatch_by: Mapped[datetime | None]
    first_dispatched_at: Mapped[datetime | None]
    due_at: Mapped[datetime | None]
    extensions: Mapped[int] = mapped_column(default=0)
    ended_at: Mapped[datetime | None]
    ended_by_id: Mapped[int | None]
    numbers_until: Mapped[datetime | None] = mapped_column(index=True)
    words_language: Mapped[str] = mapped_column(default="ja")
    words_round: Mapped[int] = mapped_column(default=0)
    words_kid: Mapped[str | None]
    words_tries: Mapped[int] = mapped_column(default=0)
    revealed_at: Mapped[datetime | None]
    call_closed_at: Mapped[datetime | None]
    caller_id: Mapped[int | None]
    moved_at: Mapped[datetime]
    next_try_at: Mapped[datetime | None]
    sweep_errors: Mapped[int] = mapped_column(default=0)
    version: Mapped[int] = mapped_column()

    listing: Mapped[Listing] = relationship(lazy="raise_on_sql")
    poster: Mapped[Account] = relationship(foreign_keys=poster_id)
    proposer: Mapped[Account] = relationship(foreign_keys=proposer_id)
    legs: Mapped[list["Leg"]] = relationship(back_populates="trade", order_by="Leg.id")
    offers: Mapped[list["OfferVersion"]] = relationship(
        back_populates="trade", order_by="OfferVersion.number"
    )
    proposals: Mapped[list["Proposal"]] = relationship(
        back_populates="trade", order_by="Proposal.id"
    )
    phones: Mapped[list["PhoneSide"]] = relationship(back_populates="trade")
    events: Mapped[list["TradeEvent"]] = relationship(
        back_populates="trade", order_by="TradeEvent.id"
    )

    __mapper_args__ = {"version_id_col": version}
    __table_args__ = (
        partial_index("ix_trade_overdue", "due_at", "id", where="state = 'shipped'"),
        partial_index(
            "ix_trade_answer", "answer_by", "id", where="state = 'negotiating'"
        ),
        partial_index("ix_trade_call", "call_by", "id", where="state = 'agreed'"),
        partial_index(
            "ix_trade_dispatch", "dispatch_by", "id", where="state = 'phone_confirmed'"
        ),
        Index(None, "poster_id", "id"),
        Index(None, "proposer_id", "id"),
        CheckConstraint("poster_id <> proposer_id", name="two_people"),
        CheckConstraint(
            "due_at IS NULL OR first_dispatched_at IS NOT NULL", name="clock"
        ),
        CheckConstraint("extensions BETWEEN 0 AND 2", name="extensions"),
    )

    def party_of(self, account_id: int) -> Party:
        """Return on which side an account stands."""
        return Party.POSTER if account_id == self.poster_id else Party.PROPOSER

    def partner_of(self, account_id: int) -> Account:
        """Return the other person."""
        return self.proposer if account_id == self.poster_id else self.poster

    def person(self, party: Party) -> Account:
        """Return the person on a side."""
        return self.poster if party is Party.POSTER else self.proposer

    def leg_from(self, account_id: int) -> "Leg":
        """Return the parcel that this account sends."""
        return next(leg for leg in self.legs if leg.sender_id == account_id)


class OfferVersion(db.Model):
    """What each side gives, as one of them proposed it; never changed afterwards."""

    id: Mapped[int] = mapped_column(primary_key=True)
    trade_id: Mapped[int] = mapped_column(ForeignKey(Trade.id))
    number: Mapped[int]
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    note: Mapped[str] = mapped_column(default="")
    made_at: Mapped[datetime]

    trade: Mapped[Trade] = relationship(back_populates="offers")
    lines: Mapped[list["OfferLine"]] = relationship(order_by="OfferLine.id")

    __table_args__ = (UniqueConstraint("trade_id", "number"),)


class OfferLine(db.Model):
    """Some copies of a card that one side gives; a listing's line, or free text."""

    id: Mapped[int] = mapped_column(primary_key=True)
    offer_id: Mapped[int] = mapped_column(ForeignKey(OfferVersion.id), index=True)
    giver: Mapped[Party]
    line_id: Mapped[int | None] = mapped_column(
        ForeignKey(Line.id, ondelete="SET NULL")
    )
    name: Mapped[str]
    set_code: Mapped[str] = mapped_column(default="")
    condition: Mapped[str] = mapped_column(default="")
    language: Mapped[str] = mapped_column(default="")
    quantity: Mapped[int]

    __table_args__ = (CheckConstraint("quantity > 0", name="some"),)


class Leg(db.Model):
    """One parcel, on its way from one of the two to the other."""

    id: Mapped[int] = mapped_column(primary_key=True)
    trade_id: Mapped[int] = mapped_column(ForeignKey(Trade.id))
    sender_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    recipient_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    state: Mapped[LegState] = mapped_column(default=LegState.NOT_SENT)
    carrier: Mapped[str] = mapped_column(default="")
    tracking: Mapped[str] = mapped_column(default="")
    dispatched_at: Mapped[datetime | None]
    arrived_on: Mapped[date | None]
    received_at: Mapped[datetime | None]
    condition: Mapped[Condition | None]
    differs_words: Mapped[str] = mapped_column(default="")
    solved_at: Mapped[datetime | None]
    contested_at: Mapped[datetime | None]
    delivered_on: Mapped[date | None]
    withheld_at: Mapped[datetime | None]
    defaulted_at: Mapped[datetime | None]
    finding: Mapped[Finding | None]
    excused_at: Mapped[datetime | None]

    trade: Mapped[Trade] = relationship(back_populates="legs")
    sender: Mapped[Account] = relationship(foreign_keys=sender_id)
    recipient: Mapped[Account] = relationship(foreign_keys=recipient_id)
    proofs: Mapped[list["Proof"]] = relationship(order_by="Proof.added_at")

    __table_args__ = (
        UniqueConstraint("trade_id", "sender_id"),
        CheckConstraint(
            "received_at IS NULL OR received_at >= dispatched_at", name="order"
        ),
    )


class Proof(db.Model):
    """A photo of a dispatch, a delivery or what arrived: the two and staff see it."""

    id: Mapped[str] = mapped_column(primary_key=True)
    leg_id: Mapped[int] = mapped_column(ForeignKey(Leg.id), index=True)
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    purpose: Mapped[str]
    width: Mapped[int]
    height: Mapped[int]
    added_at: Mapped[datetime]


class Proposal(db.Model):
    """One side proposes to extend, cancel or settle; the other answers."""

    id: Mapped[int] = mapped_column(primary_key=True)
    trade_id: Mapped[int] = mapped_column(ForeignKey(Trade.id))
    kind: Mapped[ProposalKind]
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    words: Mapped[str] = mapped_column(default="")
    made_at: Mapped[datetime]
    silent_until: Mapped[datetime | None] = mapped_column(index=True)
    answered_at: Mapped[datetime | None]
    answer: Mapped[Answer | None]

    trade: Mapped[Trade] = relationship(back_populates="proposals")

    __table_args__ = (
        partial_index(
            "uq_proposal_open",
            "trade_id",
            "kind",
            where="answered_at IS NULL",
            unique=True,
        ),
        Index(None, "trade_id", "id"),
    )


class PhoneSide(db.Model):
    """One side's sealed number and address, and whether the words were right.

    Number and address are encrypted for their cell and erased after the trade.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    trade_id: Mapped[int] = mapped_column(ForeignKey(Trade.id))
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    number: Mapped[str | None]
    number_hash: Mapped[str | None] = mapped_column(index=True)
    number_kid: Mapped[str | None]
    number_masked: Mapped[str] = mapped_column(default="")
    number_code: Mapped[str] = mapped_column(default="")
    address: Mapped[str | None]
    sealed_at: Mapped[datetime | None]
    words_hash: Mapped[str | None]
    words_right_at: Mapped[datetime | None]

    trade: Mapped[Trade] = relationship(back_populates="phones")

    __table_args__ = (UniqueConstraint("trade_id", "account_id"),)


class Message(db.Model):
    """What one of the two wrote to the other.

    `phrase` is the code of a ready sentence, which each reads in his own language.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    trade_id: Mapped[int] = mapped_column(ForeignKey(Trade.id))
    author_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    text: Mapped[str]
    phrase: Mapped[str] = mapped_column(default="")
    sent_at: Mapped[datetime]
    read_at: Mapped[datetime | None]

    photos: Mapped[list["MessagePhoto"]] = relationship(
        order_by="MessagePhoto.added_at", lazy="raise_on_sql"
    )

    __table_args__ = (
        Index(None, "trade_id", "id"),
        partial_index("ix_message_unread", "trade_id", where="read_at IS NULL"),
    )


class MessagePhoto(db.Model):
    """A photo that goes with a message; the two and staff see it."""

    id: Mapped[str] = mapped_column(primary_key=True)
    message_id: Mapped[int] = mapped_column(ForeignKey(Message.id), index=True)
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    width: Mapped[int]
    height: Mapped[int]
    added_at: Mapped[datetime]

    __table_args__ = (Index(None, "by_id", "added_at"),)


class TradeEvent(db.Model):
    """One step in the history that both see; `actor_id` is null when time acted."""

    id: Mapped[int] = mapped_column(primary_key=True)
    trade_id: Mapped[int] = mapped_column(ForeignKey(Trade.id))
    at: Mapped[datetime]
    actor_id: Mapped[int | None]
    event: Mapped[str]
    facts: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)

    trade: Mapped[Trade] = relationship(back_populates="events")

    __table_args__ = (Index(None, "trade_id", "id"),)
