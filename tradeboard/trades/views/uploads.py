"""Photos that come with a form: stored at once, so that no mistake loses one."""

from flask import abort, current_app, request
from flask_login import current_user
from itsdangerous import BadSignature, URLSafeSerializer

from tradeboard.core import photo_store
from tradeboard.core.errors import NoRoom, NotStored, Refusal, RuleBroken
from tradeboard.trades import photos
from tradeboard.trades.photos import Stored
from tradeboard.web import throttling
from tradeboard.web.error_pages import STATUS

MOST_AT_ONCE = 4
PHOTOS = "400 per day"


def take(form) -> list[Stored]:
    """Store the form's new photos; return them with those of earlier tries.

    The form carries signed names of what was stored, good for this person alone.
    """
    stored = kept(form)
    picked = [file for file in request.files.getlist("photo") if file.filename]
    if len(stored) + len(picked) > MOST_AT_ONCE:
        raise RuleBroken("写真は1回に%(n)s枚までです。", field="photo", n=MOST_AT_ONCE)
    if picked:
        throttling.limit("trade-photos", str(current_user.id), PHOTOS, cost=len(picked))
    store = photo_store.of(current_app.config)
    for file in picked:
        stored.append(photos.accept(file.read(), store, file=file.filename or ""))
        form.kept.data = signed(stored)
    return stored


def status(refusal: Refusal) -> int:
    """Return what to answer: where the store failed, that is nobody's mistake."""
    return STATUS[type(refusal)] if isinstance(refusal, NoRoom | NotStored) else 422


def kept(form) -> list[Stored]:
    """Return the photos that an earlier try of this form has stored."""
    if not form.kept.data:
        return []
    try:
        rows = _signer().loads(form.kept.data)
    except BadSignature:
        rows = None
    if not isinstance(rows, list):
        form.kept.data = ""
        return []
    return [Stored(*row) for row in rows]


def signed(pictures: list[Stored]) -> str:
    """Return the names of stored photos as a form carries them."""
    return _signer().dumps([(one.id, one.width, one.height) for one in pictures])


def name_for_author(photo_id: str) -> str:
    """Return a name under which its author alone can look at a stored photo."""
    return _signer().dumps(photo_id)


def opened(token: str) -> str:
    """Return which photo such a name means, or answer 404."""
    try:
        photo_id = _signer().loads(token)
    except BadSignature:
        abort(404)
    return photo_id if isinstance(photo_id, str) else abort(404)


def _signer() -> URLSafeSerializer:
    salt = f"proofs of {current_user.id}"
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt=salt)
