"""The blueprint, and the words that its templates use."""

from collections.abc import Callable, Sequence

from flask import Blueprint, Flask, current_app
from flask_login import current_user

from tradeboard.core.messages import Message
from tradeboard.listings.rules import wording
from tradeboard.web.languages import translate

bp = Blueprint("listings", __name__)

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
