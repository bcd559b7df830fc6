"""How many of a person's things there are, for the limits."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import func, select

from tradeboard.core.db import db
from tradeboard.listings.models import Listing, Photo
from tradeboard.listings.rules import ListingState


def count_drafts(account_id: int) -> int:
    """Return how many drafts a person has."""
    return _count(
        select(func.count())
        .select_from(Listing)
        .where(Listing.owner_id == account_id, Listing.state == ListingState.DRAFT)
    )


def count_photos(account_id: int, *, since: datetime) -> int:
    """Return how many photos of a person's have come since."""
    return _count(
        select(func.count())
        .select_from(Photo)
        .where(Photo.owner_id == account_id, Photo.added_at > since)
    )


def dropped_photos(listing_id: int) -> Sequence[Photo]:
    """Return the photos of a draft that can be put back, the last one first."""
    return db.session.scalars(
        select(Photo)
        .where(Photo.listing_id == listing_id, Photo.dropped_at.is_not(None))
        .order_by(Photo.dropped_at.desc(), Photo.id)
    ).all()


def named_photos(photo_ids: Iterable[str]) -> set[str]:
    """Return which of these photos some listing still has."""
    return set(db.session.scalars(select(Photo.id).where(Photo.id.in_(photo_ids))))


def _count(found) -> int:
    return db.session.scalar(found) or 0
