"""Pictures that were brought forward: for the two, the person, and staff."""

from flask import abort
from flask_login import current_user

from tradeboard.blacklist import photos, queries
from tradeboard.blacklist.services import evidence, links
from tradeboard.blacklist.views.blueprint import bp
from tradeboard.web import private_photos
from tradeboard.web.access import public


@bp.get("/evidence/<file_id>-<int:width>.jpg")
def picture(file_id, width):
    """Send a picture to whom it may be shown, to be kept nowhere."""
    private_photos.require_name(file_id)
    evidence.see(file_id, by=current_user)
    return private_photos.send(photos.path, file_id, width)


@bp.get("/appeals/<token>/evidence/<file_id>-<int:width>.jpg")
@public
def picture_by_link(token, file_id, width):
    """Send a person's own picture to whoever holds the mailed link."""
    private_photos.require_name(file_id)
    entry = queries.get_entry(links.read(token).entry_id)
    if not links.is_good(entry):
        abort(404)
    evidence.see_own(file_id, entry)
    return private_photos.send(photos.path, file_id, width)
