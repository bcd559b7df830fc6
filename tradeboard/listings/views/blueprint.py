"""The blueprint, and the words that its templates use."""

import secrets
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from flask import Blueprint, Flask, current_app, request, url_for
from flask_babel import gettext as _
from flask_login import current_user
from markupsafe import Markup, escape

from tradeboard.core.messages import Message
from tradeboard.listings.rules import wording
from tradeboard.web.extensions import locale
from tradeboard.web.languages import translate

bp = Blueprint("listings", __name__)

# What differs from tile to tile; all else is drawn once for each shape there is.
DRAWN_IN = (
    "id",
    "title",
    "wants",
    "condition",
    "owner_handle",
    "owner_completed",
    "photo_id",
)
DRAWINGS_KEPT = 1024
# Stands where they belong while a shape is drawn; nobody can know it.
GAP = secrets.token_hex(16)
FILTERS_KEPT = 256

SEEN_AT_ONCE = 8

KINDS = {
    "condition": wording.CONDITIONS,
    "least_condition": wording.LEAST_CONDITIONS,
    "card_language": wording.LANGUAGES,
    "reach": wording.REACH,
    "shot": wording.SHOTS,
    "place": wording.PLACES,
}


@bp.app_template_filter("in_words")
def in_words(code: str, kind: str) -> str:
    """Say a code of a listing in the reader's language."""
    said = KINDS[kind].get(code)
    return translate(said) if said is not None else ""


@bp.app_template_filter("photo_alt")
def photo_alt(photo, number: int, title: str = "") -> str:
    """Say what a photo shows, for those who do not see it; `number` is its place."""
    parts = (in_words(photo.alt, "shot"), photo.caption)
    said = _("：").join(filter(None, parts))
    return f"{title} {said}".strip() if said else _("写真 %(n)s", n=number)


@bp.app_template_global("listing_url")
def listing_url(listing_id: int) -> str:
    """Return where a listing is; a board names many."""
    return f"{_listings_at(request.root_path)}{listing_id}"


@bp.app_template_global("tile_photo_url")
def tile_photo_url(photo_id: str) -> str:
    """Return where the small size of a photo is."""
    before, after = _photos_at(request.root_path)
    return f"{before}{photo_id}{after}"


@bp.app_template_global("drawn_tiles")
def drawn_tiles(rows) -> Markup:
    """Return the tiles of listings; those below what is seen at once come late."""
    language, mounted_at = locale(), request.root_path
    drawn = (
        _tile(row, place >= SEEN_AT_ONCE, language, mounted_at)
        for place, row in enumerate(rows)
    )
    return Markup("\n".join(drawn))


def _tile(row, late: bool, language: str, mounted_at: str) -> str:
    """Fill the drawing of a tile, which is the same for all that show as much."""
    shape = (
        row.state,
        row.photo_shows if row.photo_id else None,
        bool(row.wants),
        bool(row.condition),
        row.owner_completed == 0,
    )
    drawing = _drawing(shape, late, language, mounted_at)
    return drawing % {name: escape(getattr(row, name)) for name in DRAWN_IN}


@lru_cache(maxsize=DRAWINGS_KEPT)
def _drawing(shape, late: bool, _language: str, _mounted_at: str) -> str:
    """Draw a tile with gaps for what no other listing says."""
    state, photo_shows, wants, condition, is_first = shape
    gaps = {name: f"{GAP}-{name}-" for name in DRAWN_IN}
    row = SimpleNamespace(
        **gaps | {"owner_completed": 0 if is_first else gaps["owner_completed"]}
    )
    row.state, row.photo_shows = state, photo_shows or ""
    row.photo_id = None if photo_shows is None else row.photo_id
    row.wants, row.condition = row.wants * wants, row.condition * condition
    tiles: Any = current_app.jinja_env.get_template("listings/_tiles.html").module
    drawn = str(tiles.one(row, late)).replace("%", "%%")
    for name, gap in gaps.items():
        drawn = drawn.replace(gap, f"%({name})s")
    return drawn


@bp.app_template_global("drawn_filters")
def drawn_filters(asked, rarities, games, is_member: bool, knows_visit: bool) -> Markup:
    """Return what narrows a search, as it is set; its words stand above."""
    narrowed = tuple((key, asked[key]) for key in asked if key != "q")
    choices = tuple(rarities), tuple(games)
    shown = is_member, knows_visit
    return _filters(narrowed, choices, shown, locale(), request.root_path)


@lru_cache(maxsize=FILTERS_KEPT)
def _filters(narrowed, choices, shown, _language: str, _mounted_at: str) -> Markup:
    form = current_app.jinja_env.get_template("listings/_filters.html").module
    return form.filters(dict(narrowed), *choices, *shown)  # type: ignore[attr-defined]


@lru_cache(maxsize=16)
def _listings_at(_mounted_at: str) -> str:
    return url_for("listings.show", listing_id=0)[:-1]


@lru_cache(maxsize=16)
def _photos_at(_mounted_at: str) -> tuple[str, str]:
    before, _, after = url_for("listings.photo", photo_id="~", width=480).partition("~")
    return before, after


def viewer():
    """Return who looks, or None for a visitor."""
    return current_user if current_user.is_authenticated else None


def init_app(app: Flask, edited: Callable[..., object]) -> None:
    """Say who must know when a listing with open offers was edited."""
    app.extensions["listing_edited"] = edited


def tell_of_edit(listing_id: int, changes: Sequence[Message], **who_and_when) -> None:
    """Tell whoever negotiates about a listing how it changed."""
    told = current_app.extensions.get("listing_edited")
    if told is not None and changes:
        told(listing_id, changes, **who_and_when)
