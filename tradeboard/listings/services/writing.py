"""A draft becomes a listing: past the unit of work, in as few statements as can be."""

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    Integer,
    String,
    bindparam,
    insert,
    literal,
    select,
    update,
)

from tradeboard.core import folding, prepared
from tradeboard.core.among import rows_given
from tradeboard.core.db import connection, db, read_anew
from tradeboard.core.states import advance
from tradeboard.listings import queries, rules
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import (
    LineData,
    ListingData,
    ListingState,
    Side,
    tokens,
)
from tradeboard.listings.rules.holding import Held
from tradeboard.listings.services import indexing

_LISTING, _LINE = Listing.__table__, Line.__table__
_SAID = (
    "state",
    "form",
    "game",
    "note",
    "ships_from",
    "ships_to",
    "search_key",
    "text_digest",
    "terms_number",
    "changed_at",
    "posted_at",
    "expires_at",
    "hidden_from",
    "held_for",
    "version",
)
_CARD = ("name", "key", "set_code", "rarity", "language", "condition")
_OF = bindparam("listing_id", type_=Integer)
_POST = (
    update(_LISTING)
    .where(_LISTING.c.id == _OF)
    .values(
        {name: bindparam(f"its_{name}", type_=_LISTING.c[name].type) for name in _SAID}
    )
)
_LINES = insert(_LINE)


@cache
def _at_once() -> Any:
    """Return all three statements as one, as PostgreSQL knows it."""
    texts_of = dict.fromkeys(("side", *_CARD), String)
    cards = rows_given("cards", texts_of | {"quantity": Integer})
    quantity = cards.c.quantity
    texts = [cards.c[name] for name in ("side", *_CARD)]
    lines = _LINES.from_select(
        ["listing_id", "side", *_CARD, "quantity", "free", "traded"],
        select(_OF, *texts, quantity, quantity.label("free"), literal(0, Integer)),
    )
    tokens_of_it = indexing.ADD["postgresql"]
    return tokens_of_it.add_cte(_POST.cte("posting"), lines.cte("listing_cards"))


class Place:
    """Where a draft goes: to the board, or out of sight until a moderator looks."""

    def __init__(self, meant: ListingState, *, held_for: Held | None):
        self.held_for = held_for.value if held_for else ""
        self.state, self.hidden_from = meant, None
        if held_for:
            self.state = advance(rules.LISTING, meant, "hide")
            self.hidden_from = meant


def publish(
    draft: queries.Draft,
    data: ListingData,
    where: Place,
    names: indexing.Names,
    *,
    agreed: int | None,
    now: datetime,
) -> None:
    """Write what a locked draft says as a listing, and let it be found."""
    # One that is held counts as posted; it is posted anew when it is released.
    posted_at = None if where.state is ListingState.AWAITING_EMAIL else now
    is_open = where.state is ListingState.OPEN
    said: dict[str, Any] = {
        "state": where.state,
        "form": {},
        "game": data.game,
        "note": data.note,
        "ships_from": data.ships_from,
        "ships_to": data.ships_to,
        "search_key": names.search_key,
        "text_digest": names.digest,
        "terms_number": agreed,
        "changed_at": now,
        "posted_at": posted_at,
        "expires_at": rules.expires_at(now) if is_open else None,
        "hidden_from": where.hidden_from,
        "held_for": where.held_for,
        "version": draft.version + 1,
    }
    post = {"listing_id": draft.id, **{f"its_{name}": said[name] for name in _SAID}}
    found_by = indexing.pieces(names.search_key, data, data.have)
    place = tokens.place(posted_at)
    cards = [
        {**card(side, line), "key": folding.key(line.name)}
        for side, line in data.lines()
    ]
    if db.engine.dialect.name == "postgresql":
        more = {"cards": cards, "tokens": found_by, "posted": place}
        prepared.later(_at_once(), post | more)
    else:
        at_hand = connection()
        at_hand.execute(_POST, post)
        of_it = {"listing_id": draft.id, "traded": 0}
        rows = [{**of_it, **card, "free": card["quantity"]} for card in cards]
        at_hand.execute(_LINES, rows)
        indexing.add(draft.id, found_by, place)
    read_anew(Listing, draft.id)


def card(side: Side, line: LineData) -> dict[str, Any]:
    """Return the columns of a card as it was written; who keeps it adds the others."""
    return {
        "side": side,
        "name": line.name,
        "set_code": line.set_code,
        "rarity": line.rarity,
        "language": line.language,
        "condition": line.condition,
        "quantity": line.quantity,
    }
