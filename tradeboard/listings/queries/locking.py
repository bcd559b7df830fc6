"""Read a listing to change it: locked, and as it is now."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotFound
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import ListingState

CHANGEABLE = frozenset({ListingState.DRAFT, ListingState.OPEN})

WITH_LINES = (selectinload(Listing.lines),)
# The owner as well, whose standing counts as it is once the listing is locked.
WITH_ALL = (*WITH_LINES, selectinload(Listing.owner), selectinload(Listing.photos))


def lock(listing_id: int) -> Listing:
    """Return a listing with all that belongs to it, before anybody else changes it."""
    found = _locked(Listing.id == listing_id)
    if not found:
        raise NotFound("この募集は見つかりません。")
    return found[0]


def lock_own(account_id: int, listing_id: int) -> Listing:
    """Return a listing of that person, locked; other people's are not found."""
    own = (Listing.id == listing_id, Listing.owner_id == account_id)
    found = _locked(*own)
    if not found:
        raise NotFound("この募集は見つかりません。")
    return found[0]


def lock_draft(account_id: int, listing_id: int) -> Listing:
    """Return a draft of that person, locked, or raise Conflict if it was posted."""
    draft = lock_own(account_id, listing_id)
    if draft.state is not ListingState.DRAFT:
        raise Conflict("この下書きは、もう募集になっています。")
    return draft


def lock_changeable(account_id: int, listing_id: int) -> Listing:
    """Return a draft or open listing of that person, locked."""
    listing = lock_own(account_id, listing_id)
    if listing.state not in CHANGEABLE:
        raise Conflict("いまの状態では、この募集は変えられません。")
    return listing


def lock_all_of(account_id: int) -> list[Listing]:
    """Return everything that a person has written or posted, locked."""
    return _locked(Listing.owner_id == account_id)


def lock_with_lines(line_ids: Iterable[int]) -> list[Listing]:
    """Return the listings of some lines, locked in the order of their ids."""
    owning = select(Line.listing_id).where(Line.id.in_(line_ids))
    return _locked(Listing.id.in_(owning), options=WITH_LINES)


def read_anew(listings: Iterable[Listing]) -> None:
    """Read lines again that were changed by statements."""
    db.session.flush()
    db.session.scalars(
        select(Line)
        .where(Line.listing_id.in_([listing.id for listing in listings]))
        .execution_options(populate_existing=True)
    ).all()


def _locked(*conditions, options=WITH_ALL) -> list[Listing]:
    # A lock row by row in this order, so that two verbs cannot wait for each other.
    found = (
        select(Listing)
        .where(*conditions)
        .order_by(Listing.id)
        .options(*options)
        .with_for_update(of=Listing)
        .execution_options(populate_existing=True)
    )
    return list(db.session.scalars(found))
