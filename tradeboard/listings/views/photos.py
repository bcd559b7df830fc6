"""Photo files, by id; and the pictures that came with a form."""

from flask import current_app, request, send_file
from flask_babel import gettext as _

from tradeboard.core import images
from tradeboard.core.errors import NotFound, RuleBroken, TooMany
from tradeboard.core.image_child import WIDTHS
from tradeboard.listings import photos as files
from tradeboard.listings import queries
from tradeboard.listings.photos import Stored
from tradeboard.listings.rules import PUBLIC, states
from tradeboard.listings.views.blueprint import bp, viewer
from tradeboard.web.access import public
from tradeboard.web.error_pages import respond
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
    file = files.path(current_app.config["UPLOADS"], row.id, width)
    if not file.is_file():
        raise NotFound("この写真は見つかりません。")
    answer = send_file(file, mimetype="image/jpeg", conditional=True)
    shown = listing.state in PUBLIC and queries.is_visible(listing, None)
    answer.headers["Cache-Control"] = FOREVER if shown else "private, no-store"
    answer.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return answer


def take_photos(room: int) -> tuple[list[Stored], list[str]]:
    """Store the pictures that came with the form; say what is wrong with the others."""
    stored: list[Stored] = []
    mistakes: list[str] = []
    for sent in request.files.getlist("photo"):
        if not sent.filename:
            continue
        if len(stored) >= room:
            name = images.shown_name(sent.filename)
            mistakes.append(
                _(
                    "%(name)s：写真は%(n)s枚までなので、受け取りませんでした。",
                    name=name,
                    n=states.MOST_PHOTOS,
                )
            )
            continue
        try:
            stored.append(_accept(sent))
        except (RuleBroken, TooMany) as refusal:
            mistakes.append(translate(refusal.message))
    return stored, mistakes


def answer_no_room(_error):
    """Say that the disk is full."""
    return respond(
        _("写真を保存する場所が足りません。時間をおいてお試しください。"), 507
    )


def _accept(sent) -> Stored:
    data = sent.stream.read(images.LARGEST_FILE + 1)
    return files.accept(data, current_app.config["UPLOADS"], file=sent.filename)


bp.register_error_handler(images.NoRoom, answer_no_room)
