"""Send a photo that is for some people alone, to be kept nowhere."""

import re
from collections.abc import Callable
from pathlib import Path

from flask import Response, abort, current_app, send_file


def require_name(photo_id: str) -> None:
    """Answer 404 to what cannot be the name of a stored photo."""
    if not re.fullmatch(r"[a-f0-9]{32}", photo_id):
        abort(404)


def send(
    path: Callable[[Path, str, int], Path | None], photo_id: str, width: int
) -> Response:
    """Send the file that `path` finds; whoever calls has asked who may see it."""
    file = path(current_app.config["UPLOADS"], photo_id, width)
    if file is None:
        abort(404)
    answer = send_file(file.resolve(), mimetype="image/jpeg")
    answer.headers["Cache-Control"] = "private, no-store"
    answer.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return answer
