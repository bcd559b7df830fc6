"""The photos of a draft or an open listing: added, described, moved, taken off."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import delete

from tradeboard.accounts.models import Account
from tradeboard.core.db import changed, db
from tradeboard.core.errors import NotFound, RuleBroken, TooMany
from tradeboard.listings import queries
from tradeboard.listings.models import Listing, Photo
from tradeboard.listings.photos import Stored
from tradeboard.listings.rules import states, wording


def add_photo(listing_id: int, stored: Stored, *, by: Account, now: datetime) -> Photo:
    """Add a picture that lies in the folder already, after the others."""
    listing = queries.lock_changeable(by.id, listing_id)
    _require_room(listing)
    since = now - states.A_DAY
    if queries.count_photos(by.id, since=since) >= states.MOST_PHOTOS_A_DAY:
        raise TooMany(
            "写真は1日に%(n)s枚までです。",
            retry_at=now + states.A_DAY,
            n=states.MOST_PHOTOS_A_DAY,
        )
    photo = Photo(
        id=stored.id,
        owner_id=by.id,
        position=max((old.position for old in listing.photos), default=-1) + 1,
        alt="" if listing.photos else "front",
        width=stored.width,
        height=stored.height,
        digest=stored.digest,
        added_at=now,
    )
    listing.photos.append(photo)
    listing.changed_at = now
    db.session.flush()
    return photo


def describe_photos(
    listing_id: int,
    shots: Mapping[str, str],
    captions: Mapping[str, str],
    *,
    by: Account,
) -> Listing:
    """Say what each photo shows, by a code and in words; others keep what they say.

    An unknown code says nothing.
    """
    listing = queries.lock_changeable(by.id, listing_id)
    for photo in listing.photos:
        if (shot := shots.get(photo.id)) is not None:
            photo.alt = shot if shot in wording.SHOTS else ""
        if (words := captions.get(photo.id)) is not None:
            photo.caption = words[: states.LONGEST_CAPTION]
    return listing


def move_photo(
    listing_id: int, photo_id: str, *, step: int, by: Account, now: datetime
) -> Listing:
    """Move a photo by one place: -1 is up, 1 is down; the ends stay."""
    listing = queries.lock_changeable(by.id, listing_id)
    photos = list(listing.photos)
    at = photos.index(_find(photos, photo_id))
    to = min(max(at + step, 0), len(photos) - 1)
    photos.insert(to, photos.pop(at))
    for position, photo in enumerate(photos):
        photo.position = position
    listing.changed_at = now
    return listing


def drop_photo(
    listing_id: int, photo_id: str, *, by: Account, now: datetime
) -> Listing:
    """Take a photo off a draft; for a day it can be put back."""
    draft = queries.lock_draft(by.id, listing_id)
    _find(draft.photos, photo_id).dropped_at = now
    return _number_anew(draft, now)


def restore_photo(
    listing_id: int, photo_id: str, *, by: Account, now: datetime
) -> Listing:
    """Put a photo back to where it was."""
    draft = queries.lock_draft(by.id, listing_id)
    photo = _find(queries.dropped_photos(draft.id), photo_id)
    _require_room(draft)
    photo.dropped_at = None
    return _number_anew(draft, now)


def forget_dropped(*, listing_id: int | None = None, before: datetime) -> int:
    """Forget photos taken off before a moment; their files go with the next cleaning.

    With a listing, only those of it.
    """
    gone = delete(Photo).where(Photo.dropped_at <= before)
    if listing_id is not None:
        gone = gone.where(Photo.listing_id == listing_id)
    return changed(gone)


def _number_anew(draft: Listing, now: datetime) -> Listing:
    """Read the photos again, since one has gone or come between the others."""
    db.session.flush()
    db.session.expire(draft, ["photos"])
    draft = queries.lock_draft(draft.owner_id, draft.id)
    for position, photo in enumerate(draft.photos):
        photo.position = position
    draft.changed_at = now
    return draft


def _require_room(listing: Listing) -> None:
    if len(listing.photos) >= states.MOST_PHOTOS:
        raise RuleBroken(
            "写真は%(n)s枚までです。先に1枚消してください。",
            field="photo",
            n=states.MOST_PHOTOS,
        )


def _find(photos: Iterable[Photo], photo_id: str) -> Photo:
    for photo in photos:
        if photo.id == photo_id:
            return photo
    raise NotFound("この写真は見つかりません。")
