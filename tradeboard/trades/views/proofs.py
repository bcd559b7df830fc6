"""Photos that prove something, for the two and for moderators."""

from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import looking
from tradeboard.core import clock
from tradeboard.core.transaction import transaction
from tradeboard.trades import photos, queries
from tradeboard.trades.services import proofs
from tradeboard.trades.views.blueprint import bp
from tradeboard.web import photo_files


@bp.get("/proofs/<proof_id>-<int:width>.jpg")
def proof(proof_id, width):
    """Send a photo of a parcel, to be kept nowhere."""
    photo_files.require_name(proof_id)
    trade = proofs.see(proof_id, by=current_user)
    if current_user.may(Act.SEE_PROOF):
        leave_trace(trade.id)
    return photo_files.send_private(photos.SUBFOLDER, proof_id, width)


def leave_trace(trade_id):
    """Record that somebody of staff looks at a photo of a trade of others."""
    with transaction():
        trade = queries.get_trade(trade_id)
        two = (trade.poster_id, trade.proposer_id)
        now = clock.now()
        looking.look(two, f"trade:{trade_id}", by=current_user, now=now)
