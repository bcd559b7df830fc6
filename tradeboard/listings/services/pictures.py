"""The photos of a draft or an open listing: added, described, moved, deleted."""

from collections.abc import Mapping
from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound, RuleBroken, TooMany
from tradeboard.listings import queries
from tradeboard.listings.models import Listing, Photo
from tradeboard.listings.photos import Stored
from tradeboard.listings.rules import states, wording


def add_photo(listing_id: int, stored: Stored, *, by: Account, now: datetime) -> Photo:
    """Add a picture that lies in the folder already, after the others."""
    listing = queries.get_changeable(by.id, listing_id)
    if len(listing.photos) >= states.MOST_PHOTOS:
        raise RuleBroken(
            "写真は%(n)s枚までです。先に1枚消してください。",
            field="photo",
            n=states.MOST_PHOTOS,
        )
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
        added_at=now,
    )
    listing.photos.append(photo)
    listing.changed_at = now
    db.session.flush()
    return photo


def describe_photos(
    listing_id: int, shots: Mapping[str, str], *, by: Account
) -> Listing:
    """Say what each photo shows, by codes; an unknown code says nothing."""
    listing = queries.get_changeable(by.id, listing_id)
    for photo in listing.photos:
        if (shot := shots.get(photo.id)) is not None:
            photo.alt = shot if shot in wording.SHOTS else ""
    return listing


def move_photo(
    listing_id: int, photo_id: str, step: int, *, by: Account, now: datetime
) -> Listing:
    """Move a photo by one place: -1 is up, 1 is down; the ends stay."""
    listing = queries.get_changeable(by.id, listing_id)
    photos = list(listing.photos)
    at = photos.index(_find(photos, photo_id))
    to = min(max(at + step, 0), len(photos) - 1)
    photos.insert(to, photos.pop(at))
    for position, photo in enumerate(photos):
        photo.position = position
    listing.changed_at = now
    return listing


def delete_photo(
    listing_id: int, photo_id: str, *, by: Account, now: datetime
) -> Listing:
    """Take a photo off; its files go with the next cleaning."""
    listing = queries.get_changeable(by.id, listing_id)
    listing.photos.remove(_find(listing.photos, photo_id))
    listing.changed_at = now
    return listing


def _find(photos: list[Photo], photo_id: str) -> Photo:
    for photo in photos:
        if photo.id == photo_id:
            return photo
    raise NotFound("この写真は見つかりません。")
