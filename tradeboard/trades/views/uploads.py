"""Photos that come with a form: stored at once, so that no mistake loses one."""

from flask import current_app, request
from flask_login import current_user
from itsdangerous import BadSignature, URLSafeSerializer

from tradeboard.core.errors import RuleBroken
from tradeboard.trades import photos
from tradeboard.trades.photos import Stored

MOST_AT_ONCE = 4


def take(form) -> list[Stored]:
    """Store the form's new photos; return them with those of earlier tries.

    The form carries signed names of what was stored, good for this person alone.
    """
    stored = kept(form)
    picked = [file for file in request.files.getlist("photo") if file.filename]
    if len(stored) + len(picked) > MOST_AT_ONCE:
        raise RuleBroken("写真は1回に%(n)s枚までです。", field="photo", n=MOST_AT_ONCE)
    uploads = current_app.config["UPLOADS"]
    for file in picked:
        stored.append(photos.accept(file.read(), uploads, file=file.filename or ""))
        rows = [(one.id, one.width, one.height) for one in stored]
        form.kept.data = _signer().dumps(rows)
    return stored


def kept(form) -> list[Stored]:
    """Return the photos that an earlier try of this form has stored."""
    try:
        rows = _signer().loads(form.kept.data or "")
    except BadSignature:
        form.kept.data = ""
        return []
    return [Stored(*row) for row in rows]


def _signer() -> URLSafeSerializer:
    salt = f"proofs of {current_user.id}"
    return URLSafeSerializer(current_app.config["SECRET_KEY"], salt=salt)
