"""One listing, or those of one person; and who may see them."""

from collections.abc import Sequence

from sqlalchemy import Integer, bindparam, select
from sqlalchemy.orm import joinedload

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core import paging
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotFound
from tradeboard.listings.models import Listing, Photo
from tradeboard.listings.queries.locking import WITH_ALL
from tradeboard.listings.rules import PUBLIC, ListingState, Side, contents

S = ListingState

# What is offered is not shown while its owner may not trade.
OFFERED = frozenset({S.OPEN, S.EXPIRED})

# One statement: a listing has few cards and photos, and three would cost twice as much.
_ONE = (
    select(Listing)
    .where(Listing.id == bindparam("listing_id", type_=Integer))
    .options(
        joinedload(Listing.owner, innerjoin=True),
        joinedload(Listing.lines),
        joinedload(Listing.photos),
    )
)


def find_listing(listing_id: int) -> Listing | None:
    """Return a listing with lines, photos and owner, whoever asks."""
    found = db.session.scalars(_ONE, {"listing_id": listing_id})
    return found.unique().one_or_none()


def get_listing(listing_id: int) -> Listing:
    """Return a listing with lines, photos and owner, or raise NotFound."""
    listing = find_listing(listing_id)
    if listing is None:
        raise NotFound("この募集は見つかりません。")
    return listing


def open_listing(listing_id: int) -> Listing:
    """Return a listing that can be offered for, or raise Conflict."""
    listing = get_listing(listing_id)
    require_open(listing)
    return listing


def require_open(listing: Listing) -> None:
    """Refuse a listing that cannot be offered for; a hidden one is not found."""
    if listing.state is S.DRAFT or not is_visible(listing, None):
        raise NotFound("この募集は見つかりません。")
    if listing.state is not S.OPEN:
        raise Conflict("この募集は、いま申し込みを受け付けていません。")


def get_visible(listing_id: int, viewer: Account | None) -> Listing:
    """Return a listing that this person may see; others are not found."""
    listing = get_listing(listing_id)
    if not is_visible(listing, viewer):
        raise NotFound("この募集は見つかりません。")
    return listing


def is_visible(listing: Listing, viewer: Account | None) -> bool:
    """Tell whether a person, or a visitor, may see a listing and its photos."""
    if viewer is not None and (viewer.id == listing.owner_id):
        return True
    if listing.state is S.DRAFT:
        return False
    if viewer is not None and viewer.may(Act.HIDE_LISTINGS):
        return True
    if listing.state in OFFERED:
        return listing.owner.standing is Standing.GOOD
    return listing.state in PUBLIC


def get_own(account_id: int, listing_id: int) -> Listing:
    """Return a listing of that person; other people's are not found."""
    listing = get_listing(listing_id)
    if listing.owner_id != account_id:
        raise NotFound("この募集は見つかりません。")
    return listing


def get_draft(account_id: int, listing_id: int) -> Listing:
    """Return a draft of that person, or raise Conflict if it was posted meanwhile."""
    listing = get_own(account_id, listing_id)
    if listing.state is not S.DRAFT:
        raise Conflict("この下書きは、もう募集になっています。")
    return listing


def mine(
    account_id: int, after: paging.Cursor | None = None, size: int = paging.PAGE_SIZE
) -> paging.Page[Listing]:
    """Return a person's own listings in every state, newest first."""
    found = (
        select(Listing)
        .where(Listing.owner_id == account_id)
        .order_by(Listing.id.desc())
        .limit(size + 1)
        .options(*WITH_ALL)
    )
    if after is not None:
        found = found.where(Listing.id < after.id)
    return paging.page(db.session.scalars(found).all(), size, "created_at")


def awaiting_of(account_id: int) -> Sequence[Listing]:
    """Return what waits for a person's address to be confirmed."""
    return db.session.scalars(
        select(Listing)
        .where(Listing.owner_id == account_id, Listing.state == S.AWAITING_EMAIL)
        .order_by(Listing.id)
    ).all()


def get_photo(photo_id: str, viewer: Account | None) -> Photo:
    """Return a photo whose listing this person may see."""
    photo = db.session.get(Photo, photo_id)
    if photo is None or not is_visible(get_listing(photo.listing_id), viewer):
        raise NotFound("この写真は見つかりません。")
    return photo


def title_of(listing: Listing) -> str:
    """Name a listing by its cards; a draft by what has been typed."""
    if listing.lines:
        return contents.title([(x.name, x.quantity) for x in listing.on(Side.HAVE)])
    typed = (line.get("name", "") for line in listing.form.get("have", []))
    return contents.title([(name, 1) for name in typed if name])


def wishes_of(listing: Listing) -> str:
    """Name what a posted listing asks for."""
    return contents.wishes([(x.name, x.quantity) for x in listing.on(Side.WANT)])
