"""Pictures that were brought forward: for the two, the person, and staff."""

import re

from flask import abort, current_app, send_file
from flask_login import current_user

from tradeboard.blacklist import photos, queries
from tradeboard.blacklist.services import evidence, links
from tradeboard.blacklist.views.blueprint import bp
from tradeboard.web.access import public


@bp.get("/evidence/<file_id>-<int:width>.jpg")
def picture(file_id, width):
    """Send a picture to whom it may be shown, to be kept nowhere."""
    _require_name(file_id)
    evidence.see(file_id, by=current_user)
    return _send(file_id, width)


@bp.get("/appeals/<token>/evidence/<file_id>-<int:width>.jpg")
@public
def picture_by_link(token, file_id, width):
    """Send a person's own picture to whoever holds the mailed link."""
    _require_name(file_id)
    entry = queries.get_entry(links.read(token).entry_id)
    if not links.is_good(entry):
        abort(404)
    evidence.see_own(file_id, entry)
    return _send(file_id, width)


def _require_name(file_id):
    if not re.fullmatch(r"[a-f0-9]{32}", file_id):
        abort(404)


def _send(file_id, width):
    file = photos.path(current_app.config["UPLOADS"], file_id, width)
    if file is None:
        abort(404)
    answer = send_file(file.resolve(), mimetype="image/jpeg")
    answer.headers["Cache-Control"] = "private, no-store"
    answer.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return answer
