"""Photos that prove something, for the two and for moderators."""

import re

from flask import abort, current_app, send_file
from flask_login import current_user

from tradeboard.trades import photos
from tradeboard.trades.services import proofs
from tradeboard.trades.views.blueprint import bp


@bp.get("/proofs/<proof_id>-<int:width>.jpg")
def proof(proof_id, width):
    """Send a photo of a parcel, to be kept nowhere."""
    if not re.fullmatch(r"[a-f0-9]{32}", proof_id):
        abort(404)
    proofs.see(proof_id, by=current_user)
    file = photos.path(current_app.config["UPLOADS"], proof_id, width)
    if file is None:
        abort(404)
    answer = send_file(file.resolve(), mimetype="image/jpeg")
    answer.headers["Cache-Control"] = "private, no-store"
    return answer
