"""Write what a first offer opens: a trade, a version, what each side gives, a mail."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import insert

from tradeboard.core import prepared
from tradeboard.notifications.services import Reader, Telling, tell_first
from tradeboard.trades.models import OfferLine, OfferVersion, Trade
from tradeboard.trades.queries import Offered, Trader
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.offers import Item
from tradeboard.trades.rules.states import Party

FIRST = 1
_TRADE, _VERSION = (
    insert(model.__table__).returning(model.__table__.c.id)
    for model in (Trade, OfferVersion)
)
_LINE = insert(OfferLine.__table__)


class Opened(NamedTuple):
    """A trade that an offer has just opened."""

    id: int


def open_trade(
    listing: Offered,
    proposer: Trader,
    terms_number: int,
    items: Sequence[Item],
    note: str,
    *,
    now: datetime,
) -> Opened:
    """Add a trade in which it is the poster's turn, who is told."""
    trade = {
        "listing_id": listing.id,
        "poster_id": listing.owner_id,
        "proposer_id": proposer.id,
        "turn": Party.POSTER,
        "offer_number": FIRST,
        "terms_number": terms_number,
        "started_at": now,
        "moved_at": now,
        "answer_by": now + clock.TO_ANSWER,
        "version": 1,
    }
    ((trade_id,),) = prepared.in_session(_TRADE, trade)
    version = {
        "trade_id": trade_id,
        "number": FIRST,
        "by_id": proposer.id,
        "note": note,
        "made_at": now,
    }
    ((version_id,),) = prepared.in_session(_VERSION, version)
    prepared.each(_LINE, [_line(version_id, item) for item in items])
    tell(trade_id, FIRST, listing.owner, proposer.handle, now=now)
    return Opened(trade_id)


def tell(
    trade_id: int, number: int, reader: Reader, partner: str, *, now: datetime
) -> None:
    """Tell of a version that this transaction made: nobody was told of it before."""
    facts = {
        "trade": trade_id,
        "partner": partner,
        "number": number,
        "answer_by": now + clock.TO_ANSWER,
    }
    key = f"offer:{trade_id}:{number}"
    tell_first([Telling(reader, "trades/mail/offer.txt", key, facts)], now=now)


def _line(version_id: int, item: Item) -> dict[str, Any]:
    return {
        "offer_id": version_id,
        "giver": Party(item.giver),
        "line_id": item.line_id,
        "name": item.name,
        "set_code": item.set_code,
        "condition": item.condition,
        "language": item.language,
        "quantity": item.quantity,
    }
