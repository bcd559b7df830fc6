"""Send photo files, from whichever store they lie in."""

import re

from flask import Response, abort, current_app, request, send_file

from tradeboard.core import photo_store
from tradeboard.core.image_child import WIDTHS

PRIVATE = "private, no-store"


def require_name(photo_id: str) -> None:
    """Answer 404 to what cannot be the name of a stored photo."""
    if not re.fullmatch(r"[a-f0-9]{32}", photo_id):
        abort(404)


def send(kind: str, photo_id: str, width: int) -> Response | None:
    """Send a photo of one kind, to be kept nowhere; None if there is none.

    Whoever calls has asked who may see it. A file never changes, so a browser that
    holds it is answered without looking.
    """
    tag = f"{photo_id}-{width}"
    if request.if_none_match.contains_weak(tag):
        answer = Response(status=304)
        answer.set_etag(tag)
    else:
        found = _read(kind, photo_id, width)
        if found is None:
            return None
        answer = found
        answer.set_etag(tag)
    answer.headers["Cache-Control"] = PRIVATE
    answer.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return answer


def send_private(kind: str, photo_id: str, width: int) -> Response:
    """Send a photo that is for some people alone, or answer 404."""
    answer = send(kind, photo_id, width) if width in WIDTHS else None
    return answer or abort(404)


def _read(kind: str, photo_id: str, width: int) -> Response | None:
    store = photo_store.of(current_app.config).within(kind)
    if request.method == "HEAD":
        length = store.length(photo_id, width)
        answer = Response(mimetype="image/jpeg")
    else:
        opened = store.open(photo_id, width)
        length = opened.length if opened else None
        if opened:
            answer = send_file(opened.stream, "image/jpeg", conditional=False)
    if length is None:
        return None
    answer.content_length = length
    return answer
