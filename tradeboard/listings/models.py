"""Tables of the board."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models import Account
from tradeboard.core.db import db, partial_index
from tradeboard.listings.rules import ListingState, Side


class Listing(db.Model):
    """What one trader has and wants; `version` refuses the slower of two writers.

    `form` keeps a draft as it was typed, errors included; lines exist once posted.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    state: Mapped[ListingState] = mapped_column(default=ListingState.DRAFT)
    form: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    game: Mapped[str] = mapped_column(default="")
    note: Mapped[str] = mapped_column(default="")
    ships_from: Mapped[str] = mapped_column(default="")
    ships_to: Mapped[str] = mapped_column(default="")
    search_key: Mapped[str] = mapped_column(default="")
    terms_number: Mapped[int | None]
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    posted_at: Mapped[datetime | None] = mapped_column()
    expires_at: Mapped[datetime | None]
    end_told_at: Mapped[datetime | None]
    hidden_from: Mapped[ListingState | None]
    hidden_reason: Mapped[str] = mapped_column(default="")
    version: Mapped[int] = mapped_column()

    owner: Mapped[Account] = relationship(lazy="raise_on_sql")
    lines: Mapped[list["Line"]] = relationship(
        back_populates="listing",
        order_by="Line.id",
        cascade="all, delete-orphan",
        lazy="raise_on_sql",
    )
    photos: Mapped[list["Photo"]] = relationship(
        back_populates="listing",
        order_by="Photo.position, Photo.id",
        cascade="all, delete-orphan",
        lazy="raise_on_sql",
    )

    __mapper_args__ = {"version_id_col": version}
    __table_args__ = (
        partial_index(
            "ix_listing_board",
            posted_at.desc(),
            id.desc(),
            where="state IN ('open', 'reserved')",
        ),
        partial_index("ix_listing_expiry", "expires_at", "id", where="state = 'open'"),
        Index(None, "owner_id", "id"),
    )

    def on(self, side: Side) -> list["Line"]:
        """Return the lines of one side."""
        return [line for line in self.lines if line.side == side]


class Line(db.Model):
    """One card that is offered or asked for.

    `free` copies can be promised, `traded` ones are gone; the rest is reserved. Both
    move by conditional updates, never below zero.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    listing_id: Mapped[int] = mapped_column(ForeignKey(Listing.id), index=True)
    side: Mapped[Side]
    name: Mapped[str]
    set_code: Mapped[str] = mapped_column(default="")
    rarity: Mapped[str] = mapped_column(default="")
    language: Mapped[str] = mapped_column(default="")
    condition: Mapped[str] = mapped_column(default="")
    quantity: Mapped[int]
    free: Mapped[int]
    traded: Mapped[int] = mapped_column(default=0)

    listing: Mapped[Listing] = relationship(back_populates="lines", lazy="raise_on_sql")

    @property
    def reserved(self) -> int:
        """Return how many copies are promised to somebody."""
        return self.quantity - self.free - self.traded

    __table_args__ = (
        CheckConstraint("free >= 0 AND traded >= 0", name="never_negative"),
        CheckConstraint("free + traded <= quantity", name="never_more_than_there_are"),
    )


class Photo(db.Model):
    """A picture of a listing, re-encoded; `id` is random and names its files."""

    id: Mapped[str] = mapped_column(primary_key=True)
    listing_id: Mapped[int] = mapped_column(ForeignKey(Listing.id), index=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    position: Mapped[int]
    alt: Mapped[str] = mapped_column(default="")
    width: Mapped[int]
    height: Mapped[int]
    added_at: Mapped[datetime]

    listing: Mapped[Listing] = relationship(
        back_populates="photos", lazy="raise_on_sql"
    )

    __table_args__ = (Index(None, "owner_id", "added_at"),)
