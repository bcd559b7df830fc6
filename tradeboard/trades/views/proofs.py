"""Photos that prove something, for the two and for moderators."""

from flask_login import current_user

from tradeboard.trades import photos
from tradeboard.trades.services import proofs
from tradeboard.trades.views.blueprint import bp
from tradeboard.web import private_photos


@bp.get("/proofs/<proof_id>-<int:width>.jpg")
def proof(proof_id, width):
    """Send a photo of a parcel, to be kept nowhere."""
    private_photos.require_name(proof_id)
    proofs.see(proof_id, by=current_user)
    return private_photos.send(photos.path, proof_id, width)
