"""Copies: reserved, given back, traded away; never below zero, whoever is faster.

Each verb takes `{line id: copies}`. The listing is locked before its lines, so that
its state follows from all of them.
"""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Update, update

from tradeboard.core.db import changed
from tradeboard.core.errors import Conflict
from tradeboard.core.states import advance, may
from tradeboard.listings import queries, rules
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import Side, states


def reserve(quantities: Mapping[int, int], *, now: datetime) -> None:
    """Promise copies to somebody, or raise Conflict if they are not free any more."""
    listings = queries.lock_with_lines(quantities)
    for listing in listings:
        if not may(rules.LISTING, listing.state, "reserve all"):
            raise Conflict("この募集は、いま受け付けていません。")
    for line_id, copies in _in_order(quantities):
        _move(
            update(Line)
            .where(Line.id == line_id, Line.free >= copies)
            .values(free=Line.free - copies)
        )
    _follow(listings, now)


def release(quantities: Mapping[int, int], *, now: datetime) -> None:
    """Give promised copies back."""
    listings = queries.lock_with_lines(quantities)
    for line_id, copies in _in_order(quantities):
        _move(_if_promised(line_id, copies).values(free=Line.free + copies))
    _follow(listings, now)


def trade_away(quantities: Mapping[int, int], *, now: datetime) -> None:
    """Let promised copies be gone for good."""
    listings = queries.lock_with_lines(quantities)
    for line_id, copies in _in_order(quantities):
        _move(_if_promised(line_id, copies).values(traded=Line.traded + copies))
    _follow(listings, now)


def settle(listing: Listing) -> None:
    """Let the state follow from the have-lines' quantities."""
    have = listing.on(Side.HAVE)
    event = states.event_of(
        listing.state,
        free=sum(line.free for line in have),
        left=sum(line.quantity - line.traded for line in have),
    )
    if event is not None:
        listing.state = advance(rules.LISTING, listing.state, event)


def _in_order(quantities: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return the lines in the order in which everybody locks them."""
    return [
        (line_id, copies) for line_id, copies in sorted(quantities.items()) if copies
    ]


def _if_promised(line_id: int, copies: int) -> Update:
    """Change a line only if so many of its copies are promised to somebody."""
    promised = Line.quantity - Line.free - Line.traded
    return update(Line).where(Line.id == line_id, promised >= copies)


def _move(statement) -> None:
    """Change one line if it still has the copies; two people cannot both succeed."""
    if changed(statement) != 1:
        raise Conflict("この枚数はもうありません。いまの内容をご確認ください。")


def _follow(listings: list[Listing], now: datetime) -> None:
    for listing in listings:
        queries.read_anew(listing)
        listing.changed_at = now
        settle(listing)
