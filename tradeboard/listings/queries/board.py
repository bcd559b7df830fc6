"""The board: columns, not entities, in a fixed number of statements."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    String,
    bindparam,
    func,
    literal,
    select,
    type_coerce,
    union_all,
)

from tradeboard.accounts.models import Account
from tradeboard.core import folding, paging
from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.listings.models import Line, Listing, Photo
from tradeboard.listings.queries import finding, walking
from tradeboard.listings.queries.finding import Plan, plan, plans
from tradeboard.listings.queries.walking import Shape
from tradeboard.listings.rules import Side, contents
from tradeboard.listings.rules.search import Filters

COUNTED = 100
# From how many listings the board's games and rarities are gathered.
SAMPLE = 500
# Statements about some listings have gaps for so many, or a multiple of it.
GAPS = 24
PHOTO = "photo"
SHOWN = (
    Listing.id,
    Listing.state,
    Listing.posted_at,
    Account.handle,
    Account.completed_count,
)


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


@dataclass(frozen=True)
class Found:
    """A page of the board, and how many there are, no further than 101.

    `at_least` says that not all was looked at, so that there may be more.
    """

    page: paging.Page[Tile]
    count: int
    at_least: bool = False


def search(
    filters: Filters,
    after: paging.Cursor | None = None,
    size: int = paging.PAGE_SIZE,
    *,
    known: int | None = None,
) -> Found:
    """Return a page of what is looked for, and how much of it there is.

    Whoever knows already how much says so.
    """
    planned = plan(filters)
    counts = known is None and after is None
    rows = _rows(planned, after, size, counts)
    page = paging.page(rows, size, "posted_at")
    count = (rows[0].n if rows else 0) if counts else known
    goes_on = page.after
    at_least = False
    if planned.is_cut and (goes_on is None or counts and (count or 0) <= COUNTED):
        cut = finding.walked_to(planned, after)
        at_least = cut is not None
        goes_on = goes_on or (paging.encode(cut) if cut else None)
    if count is None:
        count = db.session.scalar(select(_count(planned)), planned.values()) or 0
    return Found(paging.Page(tiles(page.rows), goes_on), count, at_least)


def board_page(
    filters: Filters, after: paging.Cursor | None = None, size: int = paging.PAGE_SIZE
) -> paging.Page[Tile]:
    """Return listings, newest first, and where the next page begins."""
    return search(filters, after, size, known=0).page


def count_board(filters: Filters) -> int:
    """Return how many there are, counted no further than one beyond a hundred."""
    return count_each([filters])[0]


def count_each(searches: Sequence[Filters]) -> list[int]:
    """Count what each of some searches finds: two statements, however many."""
    if not searches:
        return []
    planned = list(enumerate(plans(searches)))
    counts = [_count(one, f"s{n}_") for n, one in planned]
    values: dict[str, Any] = {}
    for n, one in planned:
        values |= one.values(prefix=f"s{n}_")
    return list(db.session.execute(select(*counts), values).one())


def count_posted_since(moment: datetime) -> int:
    """Return how many came onto the board since, counted like the others."""
    return count_board(Filters(since=moment))


def newest_instants() -> Sequence[datetime]:
    """Return when the newest listings were posted, up to 101 of them."""
    some = finding.newest([Listing.posted_at], plan(Filters())).limit(COUNTED + 1)
    return db.session.scalars(some).all()


def tiles_of_owner(account_id: int, size: int = paging.PAGE_SIZE) -> Sequence[Tile]:
    """Return what one person has on the board, newest first."""
    found = finding.newest(SHOWN, plan(Filters()))
    theirs = found.where(Listing.owner_id == account_id)
    return tiles(db.session.execute(theirs.limit(size)).all())


def games(limit: int = 30) -> Sequence[str]:
    """Return the games of the newest listings, those with most of them first."""
    newest = _offered(Listing.game).limit(SAMPLE).subquery()
    return _most_often(newest.c.game, limit)


def rarities(limit: int = 30) -> Sequence[str]:
    """Return the rarities of cards in the newest listings, the most frequent first."""
    newest = _offered(Listing.id).limit(SAMPLE).subquery()
    offered = (
        select(Line.rarity)
        .join(newest, newest.c.id == Line.listing_id)
        .where(Line.side == Side.HAVE)
        .subquery()
    )
    return _most_often(offered.c.rarity, limit)


def _offered(column):
    return finding.newest([column], plan(Filters()))


def _most_often(column: ColumnElement[str], limit: int) -> Sequence[str]:
    """Return texts by how often they occur; ways of writing one count together."""
    found = (
        select(column)
        .where(column != "")
        .group_by(column)
        .order_by(func.count().desc(), column)
        .limit(limit)
    )
    kinds: dict[str, str] = {}
    for said in db.session.scalars(found):
        kinds.setdefault(folding.key(said), said)
    return list(kinds.values())


def _rows(
    planned: Plan, after: paging.Cursor | None, size: int, counts: bool
) -> Sequence[Any]:
    asked = _asked(planned.shape(after), size + 1, counts)
    # Past the session, which would spend as much on it as the database.
    return db.session.connection().execute(asked, planned.values(after)).all()


@lru_cache(maxsize=256)
def _asked(shape: Shape, size: int, counts: bool):
    """Return the statement for a page, put together once for each shape."""
    if not counts:
        return walking.newest(SHOWN, shape).limit(size)
    some = walking.newest(SHOWN, shape).limit(COUNTED + 1).subquery()
    newest = (some.c.posted_at.desc(), some.c.id.desc())
    return select(*some.c, func.count().over().label("n")).order_by(*newest).limit(size)


def _count(planned: Plan, prefix: str = ""):
    """Count a search whose gaps are filled where it is executed."""
    found = walking.newest([Listing.id], planned.shape(prefix=prefix))
    some = found.limit(COUNTED + 1).subquery()
    return select(func.count()).select_from(some).scalar_subquery()


@dataclass
class _Shown:
    have: list[tuple[str, int]] = field(default_factory=list)
    want: list[tuple[str, int]] = field(default_factory=list)
    conditions: set[str] = field(default_factory=set)
    # Of each photo its place, its number and what it shows.
    photos: list[tuple[int, str, str]] = field(default_factory=list)


def tiles(rows: Sequence[Any]) -> list[Tile]:
    """Add to each listing its cards and its first photo: one statement for all."""
    if not rows:
        return []
    shown = _shown_of([row.id for row in rows])
    tiles = []
    for row in rows:
        its = shown[row.id]
        _, photo_id, shows = min(its.photos, default=(0, None, ""))
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


def _shown_of(ids: Sequence[int]) -> dict[int, _Shown]:
    """Return what the tiles of some listings show; the last gaps name none."""
    gaps = -(-len(ids) // GAPS) * GAPS
    asked = {f"id_{n}": ids[n] if n < len(ids) else 0 for n in range(gaps)}
    shown: dict[int, _Shown] = defaultdict(_Shown)
    found = db.session.connection().execute(_parts_asked(gaps), asked).all()
    for listing_id, kind, name, quantity, said, place in found:
        its = shown[listing_id]
        if kind == Side.WANT:
            its.want.append((name, quantity))
        elif kind == PHOTO:
            its.photos.append((place, name, said))
        else:
            its.have.append((name, quantity))
            if said:
                its.conditions.add(said)
    return shown


@cache
def _parts_asked(gaps: int):
    """Ask for the lines of some listings in their order, and for their photos."""
    ids = [bindparam(f"id_{n}", type_=Integer) for n in range(gaps)]
    lines = select(
        Line.listing_id,
        type_coerce(Line.side, String).label("kind"),
        Line.name,
        Line.quantity,
        Line.condition,
        Line.id.label("place"),
    ).where(Line.listing_id.in_(ids))
    photos = select(
        Photo.listing_id,
        literal(PHOTO).label("kind"),
        Photo.id.label("name"),
        literal(1).label("quantity"),
        Photo.alt,
        Photo.position.label("place"),
    ).where(Photo.listing_id.in_(ids), Photo.dropped_at.is_(None))
    both = union_all(lines, photos)
    return both.order_by(both.selected_columns.place)
