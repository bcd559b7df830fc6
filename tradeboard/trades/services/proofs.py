"""Keep the photos that somebody adds to a parcel."""

from collections.abc import Sequence
from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.trades import queries
from tradeboard.trades.models import Proof, Trade
from tradeboard.trades.photos import Stored
from tradeboard.trades.services.moving import require_party

MOST = 12


def add(
    leg_id: int, pictures: Sequence[Stored], purpose: str, *, by: Account, now: datetime
) -> None:
    """Keep stored pictures with a parcel; both sides and moderators see them.

    A picture that was kept already stays as it is.
    """
    if not pictures:
        return
    leg = queries.get_leg(leg_id)
    require_party(leg.trade, by)
    known = queries.sent_photos([picture.id for picture in pictures])
    new = [picture for picture in pictures if picture.id not in known]
    if len(leg.proofs) + len(new) > MOST:
        raise RuleBroken("写真は1つの荷物に%(n)s枚までです。", field="photo", n=MOST)
    for picture in new:
        db.session.add(
            Proof(
                id=picture.id,
                leg_id=leg_id,
                by_id=by.id,
                purpose=purpose,
                width=picture.width,
                height=picture.height,
                added_at=now,
            )
        )
    db.session.flush()
    db.session.expire(leg, ["proofs"])


def see(proof_id: str, *, by: Account) -> Trade:
    """Return the trade of a proof to one of the two or to staff; others find none."""
    proof = queries.get_proof(proof_id)
    trade = queries.get_leg(proof.leg_id).trade
    if by.id not in (trade.poster_id, trade.proposer_id) and not by.may(Act.SEE_PROOF):
        raise NotFound("写真が見つかりません。")
    return trade
