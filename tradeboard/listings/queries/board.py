"""The board: columns, not entities, in a fixed number of statements."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Select, exists, func, literal, select, text, tuple_

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core import folding, paging
from tradeboard.core.db import db
from tradeboard.listings.models import Line, Listing, Photo
from tradeboard.listings.rules import ListingState, Side, contents

# Written out, so that both databases may use the partial index.
ON_THE_BOARD = text("listing.state IN ('open', 'reserved')")
COUNTED = 100
# From how many listings the board's games are gathered.
SAMPLE = 500


@dataclass(frozen=True)
class Filters:
    """What somebody looks for; nothing set finds everything."""

    terms: Sequence[str] = ()
    conditions: Sequence[str] = ()
    language: str = ""
    abroad: bool = False
    photo: bool = False
    game: str = ""


@dataclass(frozen=True)
class Tile:
    """One listing as the board shows it."""

    id: int
    state: str
    posted_at: datetime
    owner_handle: str
    owner_completed: int
    title: str
    wants: str
    condition: str
    photo_id: str | None
    photo_shows: str


def board_page(
    filters: Filters, after: paging.Cursor | None = None, size: int = paging.PAGE_SIZE
) -> paging.Page[Tile]:
    """Return listings, newest first, and where the next page begins."""
    found = _matching(
        select(
            Listing.id,
            Listing.state,
            Listing.posted_at,
            Account.handle,
            Account.completed_count,
        ),
        filters,
    )
    if after is not None:
        found = found.where(
            tuple_(Listing.posted_at, Listing.id)
            < tuple_(literal(after.at, Listing.posted_at.type), after.id)
        )
    rows = db.session.execute(_newest(found).limit(size + 1)).all()
    page = paging.page(rows, size, "posted_at")
    return paging.Page(_tiles(page.rows), page.after)


def count_board(filters: Filters) -> int:
    """Return how many there are, counted no further than one beyond a hundred."""
    found = _matching(select(Listing.id), filters).limit(COUNTED + 1).subquery()
    return db.session.scalar(select(func.count()).select_from(found)) or 0


def count_posted_since(moment: datetime) -> int:
    """Return how many came onto the board since, counted like the others."""
    found = (
        _matching(select(Listing.id), Filters())
        .where(Listing.posted_at > moment)
        .limit(COUNTED + 1)
        .subquery()
    )
    return db.session.scalar(select(func.count()).select_from(found)) or 0


def tiles_of_owner(account_id: int, size: int = paging.PAGE_SIZE) -> Sequence[Tile]:
    """Return what one person has on the board, newest first."""
    found = _matching(
        select(
            Listing.id,
            Listing.state,
            Listing.posted_at,
            Account.handle,
            Account.completed_count,
        ),
        Filters(),
    ).where(Listing.owner_id == account_id)
    return _tiles(db.session.execute(_newest(found).limit(size)).all())


def games(limit: int = 30) -> Sequence[str]:
    """Return the games of the newest listings, those with most of them first."""
    newest = _newest(select(Listing.game).where(ON_THE_BOARD)).limit(SAMPLE).subquery()
    found = (
        select(newest.c.game)
        .where(newest.c.game != "")
        .group_by(newest.c.game)
        .order_by(func.count().desc(), newest.c.game)
        .limit(limit)
    )
    return db.session.scalars(found).all()


def _matching(found: Select[*tuple[Any, ...]], filters: Filters):
    """Keep what is on the board and fits, and is offered by who may trade.

    What is reserved stays: to let it go would tell that its owner waits for a decision,
    since nobody can withdraw it.
    """
    is_offered = Account.standing == Standing.GOOD
    found = found.join(Account, Account.id == Listing.owner_id).where(
        ON_THE_BOARD, is_offered | (Listing.state == ListingState.RESERVED)
    )
    for term in filters.terms:
        found = found.where(Listing.search_key.like(folding.like(term), escape="\\"))
    if filters.game:
        found = found.where(Listing.game == filters.game)
    if filters.abroad:
        found = found.where(Listing.ships_to == "abroad")
    if filters.photo:
        found = found.where(exists().where(Photo.listing_id == Listing.id))
    if filters.conditions or filters.language:
        found = found.where(_has_card(filters))
    return found


def _has_card(filters: Filters):
    """Ask for one card that fits in every respect."""
    card = exists().where(Line.listing_id == Listing.id, Line.side == Side.HAVE)
    if filters.conditions:
        card = card.where(Line.condition.in_(filters.conditions))
    if filters.language:
        card = card.where(Line.language == filters.language)
    return card


def _newest(found: Select[*tuple[Any, ...]]):
    return found.order_by(Listing.posted_at.desc(), Listing.id.desc())


@dataclass
class _Cards:
    have: list[tuple[str, int]] = field(default_factory=list)
    want: list[tuple[str, int]] = field(default_factory=list)
    conditions: set[str] = field(default_factory=set)


def _tiles(rows: Sequence[Any]) -> list[Tile]:
    """Add to each listing its cards and its first photo: two statements in all."""
    ids = [row.id for row in rows]
    cards, photos = _cards_of(ids), _first_photos(ids)
    tiles = []
    for row in rows:
        its, (photo_id, shows) = cards[row.id], photos.get(row.id, (None, ""))
        tile = Tile(
            id=row.id,
            state=row.state,
            posted_at=row.posted_at,
            owner_handle=row.handle,
            owner_completed=row.completed_count,
            title=contents.title(its.have),
            wants=contents.wishes(its.want),
            condition="・".join(sorted(its.conditions)),
            photo_id=photo_id,
            photo_shows=shows,
        )
        tiles.append(tile)
    return tiles


def _cards_of(ids: Iterable[int]) -> dict[int, _Cards]:
    cards: dict[int, _Cards] = defaultdict(_Cards)
    found = (
        select(Line.listing_id, Line.side, Line.name, Line.quantity, Line.condition)
        .where(Line.listing_id.in_(ids))
        .order_by(Line.id)
    )
    for listing_id, side, name, quantity, condition in db.session.execute(found):
        its = cards[listing_id]
        (its.have if side is Side.HAVE else its.want).append((name, quantity))
        if side is Side.HAVE and condition:
            its.conditions.add(condition)
    return cards


def _first_photos(ids: Iterable[int]) -> dict[int, tuple[str | None, str]]:
    found = (
        select(Photo.listing_id, Photo.id, Photo.alt)
        .where(Photo.listing_id.in_(ids))
        .order_by(Photo.listing_id, Photo.position.desc(), Photo.id.desc())
    )
    return {
        listing_id: (photo_id, shows)
        for listing_id, photo_id, shows in db.session.execute(found)
    }
