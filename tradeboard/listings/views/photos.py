"""Photo files, by id; and the pictures that came with a form."""

from dataclasses import field

from flask import current_app, request
from flask_babel import gettext as _

from tradeboard.core import images, photo_store
from tradeboard.core.errors import NoRoom, NotFound, NotStored, RuleBroken, TooMany
from tradeboard.core.image_child import WIDTHS
from tradeboard.core.records import dataclass
from tradeboard.listings import photos as files
from tradeboard.listings import queries
from tradeboard.listings.photos import Stored
from tradeboard.listings.rules import PUBLIC, states
from tradeboard.listings.views.blueprint import bp, viewer
from tradeboard.web import photo_files
from tradeboard.web.access import public
from tradeboard.web.error_pages import STATUS
from tradeboard.web.languages import translate

FOREVER = "public, max-age=31536000, immutable"


@bp.get("/photos/<photo_id>-<int:width>.jpg")
@public
def photo(photo_id: str, width: int):
    """Serve a photo; those of drafts to their owner alone."""
    if width not in WIDTHS:
        raise NotFound("この写真は見つかりません。")
    row = queries.get_photo(photo_id, viewer())
    listing = queries.get_listing(row.listing_id)
    answer = photo_files.send(files.SUBFOLDER, row.id, width)
    if answer is None:
        raise NotFound("この写真は見つかりません。")
    if listing.state in PUBLIC and queries.is_visible(listing, None):
        answer.headers["Cache-Control"] = FOREVER
    return answer


@dataclass
class Taken:
    """The pictures of a form that were stored, and what is wrong with the others."""

    stored: list[Stored] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)
    status: int = 422


def take_photos(room: int) -> Taken:
    """Store the pictures that came with the form; say what is wrong with the others."""
    taken = Taken()
    for sent in request.files.getlist("photo"):
        if not sent.filename:
            continue
        if len(taken.stored) >= room:
            taken.mistakes.append(
                _(
                    "%(name)s：写真は%(n)s枚までなので、受け取りませんでした。",
                    name=images.shown_name(sent.filename),
                    n=states.MOST_PHOTOS,
                )
            )
            continue
        try:
            taken.stored.append(_accept(sent))
        except (NoRoom, NotStored) as refusal:
            taken.mistakes.append(translate(refusal.message))
            taken.status = STATUS[type(refusal)]
            break
        except (RuleBroken, TooMany) as refusal:
            taken.mistakes.append(translate(refusal.message))
    return taken


def _accept(sent) -> Stored:
    data = sent.stream.read(images.LARGEST_FILE + 1)
    return files.accept(data, photo_store.of(current_app.config), file=sent.filename)
