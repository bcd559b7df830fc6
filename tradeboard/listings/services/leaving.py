"""What becomes of a person's listings when the account is closed, and erased."""

from datetime import datetime

from sqlalchemy import delete, select

from tradeboard.core.db import changed, db
from tradeboard.core.errors import Conflict
from tradeboard.listings import queries
from tradeboard.listings.models import Listing, ListingToken, Photo
from tradeboard.listings.rules import ListingState
from tradeboard.listings.services import ending, pictures


def leave(owner_id: int, *, now: datetime) -> None:
    """Withdraw all that a person has posted and throw the drafts away.

    Refused while copies are promised to somebody. What was traded stays readable for
    the partners.
    """
    for listing in queries.lock_all_of(owner_id):
        if any(line.reserved for line in listing.lines):
            raise Conflict("進行中の取引がある募集は、取り下げられません。")
        _end(listing, now)


def erase(owner_id: int) -> None:
    """Empty all that somebody wrote and showed; the cards of trades stay readable.

    The files of photos go with the next cleaning.
    """
    for listing in queries.lock_all_of(owner_id):
        listing.form = {}
        listing.note = listing.search_key = listing.hidden_reason = ""
        listing.text_digest = ""
        listing.ships_from = listing.ships_to = ""
    db.session.flush()
    own = select(Listing.id).where(Listing.owner_id == owner_id)
    changed(delete(ListingToken).where(ListingToken.listing_id.in_(own)))
    changed(delete(Photo).where(Photo.owner_id == owner_id))
    db.session.expire_all()


def _end(listing: Listing, now: datetime) -> None:
    if listing.state is ListingState.DRAFT:
        pictures.forget_dropped(listing_id=listing.id, before=now)
        db.session.delete(listing)
    elif ending.may_withdraw(listing):
        ending.take_off(listing, now)
