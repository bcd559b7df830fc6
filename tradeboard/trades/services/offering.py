"""Write what a first offer opens: a trade, a version, what each side gives, a mail."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Integer, String, bindparam, insert, select

from tradeboard.core import prepared
from tradeboard.core.among import rows_given
from tradeboard.core.db import db
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
    _add(version, [_line(item) for item in items])
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


def _add(version: dict[str, Any], lines: list[dict[str, Any]]) -> None:
    """Add a version with what each side gives; PostgreSQL takes both as one."""
    if db.engine.dialect.name == "postgresql":
        its = {f"its_{name}": value for name, value in version.items()}
        prepared.later(_at_once(tuple(version)), its | {"lines": lines})
        return
    ((version_id,),) = prepared.in_session(_VERSION, version)
    prepared.each(_LINE, [{**line, "offer_id": version_id} for line in lines])


@cache
def _at_once(said: tuple[str, ...]) -> Any:
    """Return both statements as one, for the columns that a version says."""
    its = OfferVersion.__table__.c
    row = {name: bindparam(f"its_{name}", type_=its[name].type) for name in said}
    new = _VERSION.values(row).cte("new_version")
    texts = ("giver", "name", "set_code", "condition", "language")
    kinds = dict.fromkeys(texts, String) | {"line_id": Integer, "quantity": Integer}
    lines = rows_given("lines", kinds).c
    given = select(new.c.id, *(lines[name] for name in kinds))
    return _LINE.from_select(["offer_id", *kinds], given)


def _line(item: Item) -> dict[str, Any]:
    return {
        "giver": Party(item.giver),
        "line_id": item.line_id,
        "name": item.name,
        "set_code": item.set_code,
        "condition": item.condition,
        "language": item.language,
        "quantity": item.quantity,
    }
