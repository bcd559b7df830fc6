"""What a new listing's form can be filled with: what its writer said before."""

from collections.abc import Sequence

from sqlalchemy import func, select

from tradeboard.cards.models import Card
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core.db import db
from tradeboard.listings.models import Listing

MOST_NAMES = 200


def last_shipping(account_id: int) -> dict[str, str] | None:
    """Return how a person's last posted listing ships and of which game it is."""
    last = db.session.execute(
        select(Listing.ships_from, Listing.ships_to, Listing.game)
        .where(Listing.owner_id == account_id, Listing.posted_at.is_not(None))
        .order_by(Listing.id.desc())
        .limit(1)
    ).one_or_none()
    return dict(last._mapping) if last is not None and last.ships_from else None


def own_card_names(account_id: int, side: CardSide) -> Sequence[str]:
    """Return the names of the cards on one list of a person, the newest first."""
    return db.session.scalars(
        select(Card.name)
        .where(Card.account_id == account_id, Card.side == side)
        .group_by(Card.name)
        .order_by(func.max(Card.id).desc())
        .limit(MOST_NAMES)
    ).all()
