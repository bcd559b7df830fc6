"""Tables of the board."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models import Account
from tradeboard.core.db import db, partial_index
from tradeboard.listings.rules import ListingState, Side


class Listing(db.Model):
    """What one trader has and wants; `version` refuses the slower of two writers.

    `form` keeps a draft as it was typed, errors included; lines exist once posted.
    `held_for` is why a hidden one waits for a moderator, who has not decided yet.
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
    text_digest: Mapped[str] = mapped_column(default="", index=True)
    terms_number: Mapped[int | None]
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    posted_at: Mapped[datetime | None] = mapped_column()
    expires_at: Mapped[datetime | None]
    end_told_at: Mapped[datetime | None]
    hidden_from: Mapped[ListingState | None]
    hidden_reason: Mapped[str] = mapped_column(default="")
    held_for: Mapped[str] = mapped_column(default="", server_default="")
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
        primaryjoin="and_(Photo.listing_id == Listing.id, Photo.dropped_at.is_(None))",
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
        partial_index("ix_listing_held", "owner_id", "id", where="held_for != ''"),
        Index(None, "owner_id", "id"),
    )

    def on(self, side: Side) -> list["Line"]:
        """Return the lines of one side."""
        return [line for line in self.lines if line.side == side]


class Line(db.Model):
    """One card that is offered or asked for.

    `free` copies can be promised, `traded` ones are gone; the rest is reserved. Both
    move by conditional updates, never below zero. `key` is the name as it is searched.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    listing_id: Mapped[int] = mapped_column(ForeignKey(Listing.id), index=True)
    side: Mapped[Side]
    name: Mapped[str]
    key: Mapped[str] = mapped_column(default="", index=True)
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
    """A picture of a listing, re-encoded; `id` is random and names its files.

    `alt` is a code of what it shows, `caption` says it in its owner's words. `digest`
    is alike for pictures that look alike; it tells of copied photos. One taken off a
    draft has `dropped_at`, belongs to no `Listing.photos` and can be put back.
    """

    id: Mapped[str] = mapped_column(primary_key=True)
    listing_id: Mapped[int] = mapped_column(ForeignKey(Listing.id), index=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    position: Mapped[int]
    alt: Mapped[str] = mapped_column(default="")
    caption: Mapped[str] = mapped_column(default="")
    digest: Mapped[str] = mapped_column(default="", index=True)
    width: Mapped[int]
    height: Mapped[int]
    added_at: Mapped[datetime]
    dropped_at: Mapped[datetime | None]

    listing: Mapped[Listing] = relationship(
        back_populates="photos", lazy="raise_on_sql"
    )

    __table_args__ = (
        Index(None, "owner_id", "added_at"),
        partial_index("ix_photo_dropped", "dropped_at", where="dropped_at IS NOT NULL"),
    )


class ListingToken(db.Model):
    """One or two signs that occur in what is searched of a listing.

    `posted` is the listing's place on the board, so that each token leads along it,
    newest first, without reading the listings; 0 for what waits.
    """

    token: Mapped[str] = mapped_column(primary_key=True)
    posted: Mapped[int] = mapped_column(
        BigInteger, primary_key=True, default=0, server_default="0"
    )
    listing_id: Mapped[int] = mapped_column(
        ForeignKey(Listing.id, ondelete="CASCADE"), primary_key=True, index=True
    )


class SavedSearch(db.Model):
    """A search that a member keeps; `asked` is its address, without the page.

    `told_until` is the instant up to which new listings were told by mail.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    asked: Mapped[str]
    mail: Mapped[bool] = mapped_column(default=True)
    made_at: Mapped[datetime]
    told_until: Mapped[datetime]

    __table_args__ = (
        UniqueConstraint("account_id", "asked"),
        partial_index("ix_saved_search_mail", "told_until", "id", where="mail"),
    )
