"""Pictures that were brought forward: for the two, the person, and staff."""

from flask import abort
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import looking
from tradeboard.blacklist import photos, queries
from tradeboard.blacklist.services import evidence, links
from tradeboard.blacklist.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.transaction import transaction
from tradeboard.web import photo_files
from tradeboard.web.access import public


@bp.get("/evidence/<file_id>-<int:width>.jpg")
def picture(file_id, width):
    """Send a picture to whom it may be shown, to be kept nowhere."""
    photo_files.require_name(file_id)
    evidence.see(file_id, by=current_user)
    if current_user.may(Act.SEE_PROOF):
        _leave_trace(file_id)
    return photo_files.send_private(photos.SUBFOLDER, file_id, width)


@bp.get("/appeals/<token>/evidence/<file_id>-<int:width>.jpg")
@public
def picture_by_link(token, file_id, width):
    """Send a person's own picture to whoever holds the mailed link."""
    photo_files.require_name(file_id)
    entry = queries.get_entry(links.read(token).entry_id)
    if not links.is_good(entry):
        abort(404)
    evidence.see_own(file_id, entry)
    return photo_files.send_private(photos.SUBFOLDER, file_id, width)


def _leave_trace(file_id):
    """Record that somebody of staff looks at a picture of a case of others."""
    with transaction():
        _file, evidence = queries.get_file(file_id)
        entry = queries.get_entry(evidence.entry_id)
        parties, thing = queries.parties_of(entry), f"entry:{entry.id}"
        looking.look(parties, thing, by=current_user, now=clock.now())
