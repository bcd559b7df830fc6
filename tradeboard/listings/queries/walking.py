"""How the board is walked along, newest first: statements by their shape.

A statement is put together once for each shape; what it asks for fills its gaps, which
are named like the shape's parts.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    String,
    bindparam,
    exists,
    select,
    text,
    tuple_,
    union_all,
)
from sqlalchemy.orm import aliased
from sqlalchemy.types import TypeEngine

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.cards.models import Card
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core.db import UtcDateTime
from tradeboard.core.records import dataclass
from tradeboard.listings.models import Line, Listing, ListingToken, Photo
from tradeboard.listings.rules import ListingState, Side

# Written out, so that both databases may use the partial index.
ON_THE_BOARD = text("listing.state IN ('open', 'reserved')")
# So many listings that have what is common are looked at for one page.
WALKED = 1000
TYPES: dict[str, TypeEngine[Any]] = {
    "since": UtcDateTime(),
    "since_place": BigInteger(),
    "at": UtcDateTime(),
    "at_place": BigInteger(),
    "at_id": Integer(),
    "mine": Integer(),
}

Found = Select[*tuple[Any, ...]]


@dataclass(frozen=True)
class Shape:
    """How a search is asked: by how many tokens, words and other conditions."""

    leader: int = 0
    marks: tuple[int, ...] = ()
    likes: int = 0
    photo: bool = False
    mine: bool = False
    since: bool = False
    after: bool = False
    is_cut: bool = False
    prefix: str = ""

    def gap(self, name: str):
        """Return the gap of that name."""
        return bindparam(self.prefix + name, type_=TYPES.get(name, String()))


def newest(columns: Sequence[Any], shape: Shape) -> Found:
    """Select what is on the board and fits, newest first, of who may trade.

    What is reserved stays: to let it go would tell that its owner waits for a decision,
    since nobody can withdraw it.
    """
    along = walk(shape)
    found = select(*columns).select_from(Listing)
    if along is None:
        found = _beyond(found, shape)
        order: tuple[Any, ...] = (Listing.posted_at.desc(), Listing.id.desc())
    else:
        found = found.join(along, along.c.listing_id == Listing.id)
        order = (along.c.posted.desc(), along.c.listing_id.desc())
        for n, tokens in enumerate(shape.marks):
            marks = [shape.gap(f"mark_{n}_{m}") for m in range(tokens)]
            found = found.where(_has(marks, along.c))
    is_offered = Account.standing == Standing.GOOD
    found = found.join(Account, Account.id == Listing.owner_id).where(
        ON_THE_BOARD, is_offered | (Listing.state == ListingState.RESERVED)
    )
    return _compared(found, shape).order_by(*order)


def walk(shape: Shape):
    """Return the listings that are looked at, in the order of the board."""
    if shape.leader:
        return _led(shape)
    if not shape.is_cut:
        return None
    # What has no index of its own is looked for along the board.
    along = select(Listing.id.label("listing_id"), Listing.posted_at.label("posted"))
    along = _beyond(along.where(ON_THE_BOARD), shape)
    newest = (Listing.posted_at.desc(), Listing.id.desc())
    return along.order_by(*newest).limit(WALKED).subquery()


def _led(shape: Shape):
    ways = [_way(shape, n) for n in range(shape.leader)]
    if len(ways) == 1:
        return ways[0].subquery()
    each = [way.subquery() for way in ways]
    met = union_all(*(select(way.c.posted, way.c.listing_id) for way in each))
    column = met.selected_columns
    newest = (column.posted.desc(), column.listing_id.desc())
    return met.order_by(*newest).limit(WALKED).subquery()


def _way(shape: Shape, nth: int):
    """Select where one token leads, without what the ones before it lead to."""
    token = aliased(ListingToken)
    leader = [shape.gap(f"leader_{n}") for n in range(nth + 1)]
    way = select(token.posted, token.listing_id).where(token.token == leader[nth])
    if shape.after:
        place = tuple_(shape.gap("at_place"), shape.gap("at_id"))
        way = way.where(tuple_(token.posted, token.listing_id) < place)
    if shape.since:
        way = way.where(token.posted > shape.gap("since_place"))
    if nth:
        way = way.where(~_has(leader[:nth], token))
    # Limited whatever leads, or a planner might begin elsewhere.
    return way.order_by(token.posted.desc(), token.listing_id.desc()).limit(WALKED)


def _has(tokens: Sequence[Any], met) -> ColumnElement[bool]:
    """Tell whether a listing that was met has one of these tokens, too."""
    token = aliased(ListingToken)
    return exists().where(
        token.token.in_(tokens),
        token.posted == met.posted,
        token.listing_id == met.listing_id,
    )


def _beyond(found: Found, shape: Shape) -> Found:
    if shape.after:
        place = tuple_(shape.gap("at"), shape.gap("at_id"))
        found = found.where(tuple_(Listing.posted_at, Listing.id) < place)
    if shape.since:
        found = found.where(Listing.posted_at > shape.gap("since"))
    return found


def _compared(found: Found, shape: Shape) -> Found:
    """Keep what fits in the respects that the leader does not tell of."""
    for n in range(shape.likes):
        pattern = shape.gap(f"like_{n}")
        found = found.where(Listing.search_key.like(pattern, escape="\\"))
    if shape.photo:
        shown = (Photo.listing_id == Listing.id, Photo.dropped_at.is_(None))
        found = found.where(exists().where(*shown))
    if shape.mine:
        member = shape.gap("mine")
        found = found.where(
            Listing.owner_id != member, Listing.id.in_(_wanting(member))
        )
    return found


def _wanting(member):
    """Return listings that ask for a card on somebody's list of what they have."""
    cards = select(Card.key).where(
        Card.account_id == member, Card.side == CardSide.HAVE
    )
    return select(Line.listing_id).where(Line.side == Side.WANT, Line.key.in_(cards))
