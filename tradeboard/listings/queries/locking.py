"""Read a listing to change it: locked, and as it is now."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.listings.models import Line, Listing

WITH_ALL = (
    selectinload(Listing.lines),
    selectinload(Listing.photos),
    selectinload(Listing.owner),
)


def lock(listing_id: int) -> Listing:
    """Return a listing with all that belongs to it, before anybody else changes it."""
    found = _locked(Listing.id == listing_id)
    if not found:
        raise NotFound("この募集は見つかりません。")
    return found[0]


def lock_own(account_id: int, listing_id: int) -> Listing:
    """Return a listing of that person, locked; other people's are not found."""
    found = _locked(Listing.id == listing_id, Listing.owner_id == account_id)
    if not found:
        raise NotFound("この募集は見つかりません。")
    return found[0]


def lock_all_of(account_id: int) -> list[Listing]:
    """Return everything that a person has written or posted, locked."""
    return _locked(Listing.owner_id == account_id)


def lock_with_lines(line_ids: Iterable[int]) -> list[Listing]:
    """Return the listings of some lines, locked in the order of their ids."""
    owning = select(Line.listing_id).where(Line.id.in_(line_ids))
    return _locked(Listing.id.in_(owning))


def read_anew(listing: Listing) -> Listing:
    """Read lines again that were changed by statements."""
    db.session.flush()
    db.session.scalars(
        select(Line)
        .where(Line.listing_id == listing.id)
        .execution_options(populate_existing=True)
    ).all()
    return listing


def _locked(*conditions) -> list[Listing]:
    # A lock row by row in this order, so that two verbs cannot wait for each other.
    found = (
        select(Listing)
        .where(*conditions)
        .order_by(Listing.id)
        .options(*WITH_ALL)
        .with_for_update(of=Listing)
        .execution_options(populate_existing=True)
    )
    return list(db.session.scalars(found))
