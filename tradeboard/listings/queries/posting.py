"""What decides whether a draft is posted: read as columns, once it is locked."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Integer,
    ScalarSelect,
    String,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
)

from tradeboard.accounts.models import Account, Session
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core import prepared
from tradeboard.core.db import UtcDateTime, db
from tradeboard.core.errors import Conflict, NotFound
from tradeboard.core.records import dataclass
from tradeboard.listings.models import Listing, Photo
from tradeboard.listings.rules import ListingState, holding, states
from tradeboard.terms import queries as terms

_LISTING, _PHOTO, _ACCOUNT = (model.__table__.c for model in (Listing, Photo, Account))
_OTHER = Account.__table__.alias("other").c
_OWN, _THEIRS = (Session.__table__.alias(name).c for name in ("own", "theirs"))
_ID = bindparam("listing_id", type_=Integer)
_OWNER = bindparam("account_id", type_=Integer)
_TEXT = bindparam("text_digest", type_=String)
_SINCE, _LATELY, _SAME, _YOUNG = (
    bindparam(name, type_=UtcDateTime) for name in ("since", "lately", "same", "young")
)

# Asked at every post, hence put together once; two questions, since what the second
# one answers must be as it is once the first has waited for the lock.
_DRAFT = (
    select(_LISTING.state, _LISTING.form, _LISTING.version)
    .where(_LISTING.id == _ID, _LISTING.owner_id == _OWNER)
    .with_for_update()
)


def _after(moment: BindParameter[datetime]) -> ColumnElement[bool]:
    """Tell what was posted since then, though it may wait for its owner's address."""
    waits = _LISTING.state == ListingState.AWAITING_EMAIL
    return or_(_LISTING.posted_at > moment, and_(waits, _LISTING.changed_at > moment))


def _count(since: BindParameter[datetime]) -> ScalarSelect[int]:
    """Count what this person has posted since then."""
    own = select(func.count()).where(_LISTING.owner_id == _OWNER, _after(since))
    return own.scalar_subquery()


_POSTED, _IN_AN_HOUR = _count(_SINCE), _count(_LATELY)
# Posted since then, or made the same by an edit.
_IS_SAME = and_(
    _LISTING.text_digest == _TEXT, _LISTING.changed_at > _SAME, _LISTING.id != _ID
)
_OF_THIS_TEXT, _BY_OTHERS = (
    select(func.count()).where(_IS_SAME, whose).scalar_subquery()
    for whose in (_LISTING.owner_id == _OWNER, _LISTING.owner_id != _OWNER)
)
# Others who are as new here, and have signed in from a network of this person's.
_IS_NEAR = exists().where(
    _OWN.account_id == _OWNER,
    _THEIRS.account_id == _LISTING.owner_id,
    _OWN.network == _THEIRS.network,
    _OWN.network != "",
)
# Asked only if others say the same, which is rare: it would be planned at each post.
_OF_OTHERS = select(func.count(_LISTING.owner_id.distinct())).where(
    _IS_SAME,
    _OTHER.id == _LISTING.owner_id,
    _OTHER.id != _OWNER,
    _OTHER.created_at > _YOUNG,
    _IS_NEAR,
)
_PHOTOS = (
    select(func.count()).select_from(Photo.__table__).where(_PHOTO.listing_id == _ID)
)
_POSTER = select(
    _ACCOUNT.standing,
    _ACCOUNT.email_confirmed_at.is_not(None),
    _ACCOUNT.created_at,
    _ACCOUNT.email_wire,
    terms.NEWEST,
    terms.AGREED,
    _POSTED,
    _PHOTOS.scalar_subquery(),
    _ACCOUNT.ended_count,
    _IN_AN_HOUR,
    _OF_THIS_TEXT,
    _BY_OTHERS,
).where(_ACCOUNT.id == _OWNER)


@dataclass(frozen=True)
class Draft:
    """A locked draft, as it was typed."""

    id: int
    form: dict[str, Any]
    version: int


@dataclass(frozen=True)
class Poster:
    """Whoever wants to post or edit it, and how many things there are already."""

    standing: Standing
    is_confirmed: bool
    created_at: datetime
    email_wire: str
    terms_in_force: int | None
    terms_agreed: int | None
    posted: int
    photos: int
    ended_trades: int
    in_an_hour: int
    of_this_text: int
    of_others: int

    def why_held(self, now: datetime) -> holding.Held | None:
        """Return why what this person posts waits for a moderator, if it does."""
        return self._why(self.in_an_hour, now)

    def why_edit_held(self, now: datetime) -> holding.Held | None:
        """Return why what this person edits waits; editing many is no reason alone."""
        return self._why(0, now)

    def _why(self, in_an_hour: int, now: datetime) -> holding.Held | None:
        lately = holding.Lately(in_an_hour, self.of_this_text, self.of_others)
        return holding.why(now - self.created_at, self.ended_trades, lately)


def lock_to_post(account_id: int, listing_id: int) -> Draft:
    """Return a draft of that person, locked, or raise Conflict if it was posted."""
    of = {"account_id": account_id, "listing_id": listing_id}
    found = prepared.in_session(_DRAFT, of)
    if not found:
        raise NotFound("この募集は見つかりません。")
    ((state, form, version),) = found
    if state is not ListingState.DRAFT:
        raise Conflict("この下書きは、もう募集になっています。")
    return Draft(listing_id, form, version)


def poster(
    account_id: int, listing_id: int, text_digest: str, *, now: datetime
) -> Poster:
    """Return what decides about a post: of the person, the terms, and the limits.

    The listing itself does not count, so that an edit asks the same.
    """
    of = {
        "account_id": account_id,
        "listing_id": listing_id,
        "text_digest": text_digest,
        "since": now - states.A_DAY,
        "lately": now - holding.AN_HOUR,
        "same": now - holding.SAME_FOR,
        "young": now - holding.YOUNG_FOR,
    }
    ((*found, by_others),) = prepared.in_session(_POSTER, of)
    found += prepared.in_session(_OF_OTHERS, of)[0] if by_others else [0]
    return Poster(*found)


def captions(listing_id: int) -> tuple[str, ...]:
    """Return what the photos of a listing say in words."""
    return tuple(
        db.session.scalars(
            select(Photo.caption)
            .where(
                Photo.listing_id == listing_id,
                Photo.dropped_at.is_(None),
                Photo.caption != "",
            )
            .order_by(Photo.position, Photo.id)
        )
    )
