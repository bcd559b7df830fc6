"""Copies: reserved, given back, traded away; never below zero, whoever is faster.

Each verb takes `{line id: copies}`. The listing is locked before its lines, so that
its state follows from all of them.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from sqlalchemy import BindParameter, CursorResult, Update, bindparam, update

from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.core.states import advance, may
from tradeboard.core.together import write_together
from tradeboard.listings import queries, rules
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import Side, states
from tradeboard.listings.services import indexing

# Changed past the loaded rows, which are read anew; each once for all lines of a verb.
LINE = Line.__table__
COPIES: BindParameter[int] = bindparam("copies")
OF_LINE = update(LINE).where(LINE.c.id == bindparam("line_id"))
IF_FREE = OF_LINE.where(LINE.c.free >= COPIES)
IF_PROMISED = OF_LINE.where(LINE.c.quantity - LINE.c.free - LINE.c.traded >= COPIES)
RESERVE = IF_FREE.values(free=LINE.c.free - COPIES)
RELEASE = IF_PROMISED.values(free=LINE.c.free + COPIES)
TRADE_AWAY = IF_PROMISED.values(traded=LINE.c.traded + COPIES)


def reserve(quantities: Mapping[int, int], *, now: datetime) -> None:
    """Promise copies to somebody, or raise Conflict if they are not free any more."""
    listings = queries.lock_with_lines(quantities)
    for listing in listings:
        if not may(rules.LISTING, listing.state, "reserve all"):
            raise Conflict("この募集は、いま受け付けていません。")
    _move(RESERVE, quantities)
    _follow(listings, now)


def release(quantities: Mapping[int, int], *, now: datetime) -> None:
    """Give promised copies back."""
    listings = queries.lock_with_lines(quantities)
    _move(RELEASE, quantities)
    _follow(listings, now)


def trade_away(quantities: Mapping[int, int], *, now: datetime) -> None:
    """Let promised copies be gone for good."""
    listings = queries.lock_with_lines(quantities)
    _move(TRADE_AWAY, quantities)
    _follow(listings, now)


def settle(listing: Listing) -> None:
    """Let the state follow from the have-lines' quantities."""
    _settle(listing)
    if listing.state in indexing.OVER:
        indexing.drop(listing.id)


def _settle(listing: Listing) -> None:
    have = listing.on(Side.HAVE)
    event = states.event_of(
        listing.state,
        free=sum(line.free for line in have),
        left=sum(line.quantity - line.traded for line in have),
    )
    if event is not None:
        listing.state = advance(rules.LISTING, listing.state, event)


def _move(statement: Update, quantities: Mapping[int, int]) -> None:
    """Change lines if they still have the copies; two people cannot both succeed.

    The lines are met in the order in which everybody locks them.
    """
    lines = [
        {"line_id": line_id, "copies": copies}
        for line_id, copies in sorted(quantities.items())
        if copies
    ]
    if not lines:
        return
    result = cast(CursorResult[Any], db.session.execute(statement, lines))
    if result.rowcount != len(lines):
        raise Conflict("この枚数はもうありません。いまの内容をご確認ください。")


def _follow(listings: list[Listing], now: datetime) -> None:
    queries.read_anew(listings)
    for listing in listings:
        listing.changed_at = now
        _settle(listing)
    write_together(listings)
    over = [listing.id for listing in listings if listing.state in indexing.OVER]
    if over:
        indexing.drop(*over)
