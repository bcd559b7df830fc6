"""Pictures that come with a form: stored at once, so that no mistake loses one."""

from flask import current_app, request
from itsdangerous import BadSignature, URLSafeSerializer

from tradeboard.blacklist import photos
from tradeboard.blacklist.photos import Stored
from tradeboard.blacklist.rules.appeals import MOST_FILES
from tradeboard.core import images, photo_store
from tradeboard.core.errors import (
    NoRoom,
    NotStored,
    Refusal,
    RuleBroken,
    TooMany,
    Unknown,
)
from tradeboard.web import throttling

SMALL = 480
RATE = "60 per 1 hour"


def take(form, whose: str) -> tuple[list[Stored], list[Refusal]]:
    """Store the form's new pictures beside those of earlier tries.

    What cannot be read is named, and the others stay. The form carries signed names
    of what was stored, good for this person and entry alone.
    """
    stored = kept(form, whose)
    mistakes: list[Refusal] = []
    for file in request.files.getlist("photo"):
        if not file.filename:
            continue
        try:
            throttling.limit("evidence", whose, RATE)
            stored.append(_accept(file, len(stored)))
        except (RuleBroken, TooMany) as refusal:
            refusal.field = "photo"
            mistakes.append(refusal)
            if isinstance(refusal, NoRoom | NotStored):
                break
    keep(form, whose, stored)
    return stored, mistakes


def kept(form, whose: str) -> list[Stored]:
    """Return the pictures that an earlier try of this form has stored."""
    try:
        rows = _signer(whose).loads(form.kept.data or "")
    except BadSignature:
        return []
    store = photo_store.of(current_app.config).within(photos.SUBFOLDER)
    found = [Stored(*row) for row in rows]
    return [one for one in found if _is_there(store, one)]


def _is_there(store: photo_store.Store, one: Stored) -> bool:
    """Tell whether a picture waits still; yes, if that is not known."""
    try:
        return store.length(one.id, SMALL) is not None
    except Unknown:
        return True


def keep(form, whose: str, stored: list[Stored]) -> None:
    """Let the form carry what is stored."""
    rows = [(one.id, one.width, one.height) for one in stored]
    form.kept.data = _signer(whose).dumps(rows) if rows else ""


def _accept(file, before: int) -> Stored:
    if before >= MOST_FILES:
        raise RuleBroken(
            "%(name)s：写真は1回に%(n)s枚までなので、受け取りませんでした。",
            name=images.shown_name(file.filename),
            n=MOST_FILES,
        )
    data = file.stream.read(images.LARGEST_FILE + 1)
    return photos.accept(data, photo_store.of(current_app.config), file=file.filename)


def _signer(whose: str) -> URLSafeSerializer:
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt=f"evidence {whose}")
