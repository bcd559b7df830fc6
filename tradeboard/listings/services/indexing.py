"""Keep the board searchable: keys, pieces and marks follow what a listing says."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Integer,
    String,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.orm import selectinload

from tradeboard.core import folding
from tradeboard.core.batches import SIZE, Batch
from tradeboard.core.db import changed, db
from tradeboard.listings.models import Line, Listing, ListingToken
from tradeboard.listings.rules import (
    LineData,
    ListingData,
    ListingState,
    Side,
    tokens,
)

S = ListingState
Card = Line | LineData
Said = Listing | ListingData

# What can never be on the board again is found by nobody.
OVER = frozenset({S.TRADED, S.WITHDRAWN})


def _rows(token: Any) -> Any:
    """Return the statement that adds all tokens of a listing at once."""
    place = bindparam("posted", type_=BigInteger)
    of = bindparam("listing_id", type_=Integer)
    columns = ["token", "posted", "listing_id"]
    return insert(ListingToken.__table__).from_select(columns, select(token, place, of))


ADD = {
    "postgresql": _rows(func.unnest(bindparam("tokens", type_=ARRAY(String)))),
    "sqlite": _rows(
        func.json_each(bindparam("tokens", type_=String)).table_valued("value").c.value
    ),
}


def index(listing: Listing) -> None:
    """Let a listing be found by what it says now; called whenever that changed."""
    listing.search_key, listing.text_digest = names(
        listing.game, listing.lines, listing.note
    )
    for line in listing.lines:
        line.key = folding.key(line.name)
    db.session.flush()
    drop(listing.id)
    if listing.state not in OVER:
        found_by = pieces(listing.search_key, listing, listing.on(Side.HAVE))
        add(listing.id, found_by, tokens.place(listing.posted_at))


class Names(NamedTuple):
    """What searches look through, and what is the same for the same texts."""

    search_key: str
    digest: str


def names(game: str, lines: Iterable[Card], note: str) -> Names:
    """Return the key that searches look through, and the digest of all texts."""
    words = [text for line in lines for text in (line.name, line.set_code)]
    key = folding.key("\n".join([game, *words]))
    return Names(key, tokens.digest([*words, note]))


def pieces(search_key: str, said: Said, have: Iterable[Card]) -> list[str]:
    """Return what a listing is found by: the pieces of its texts, and its marks."""
    offered = [(line.condition, line.language, line.rarity) for line in have]
    marks = tokens.marks(said.game, said.ships_to, offered)
    return sorted(tokens.pieces(search_key) | marks)


def add(listing_id: int, found_by: list[str], place: int) -> None:
    """Let a listing be found by pieces and marks, in its place on the board."""
    connection = db.session.connection()
    of_sqlite = connection.dialect.name == "sqlite"
    connection.execute(
        ADD[connection.dialect.name],
        {
            "tokens": json.dumps(found_by) if of_sqlite else found_by,
            "posted": place,
            "listing_id": listing_id,
        },
    )


def place(listing: Listing) -> None:
    """Let a listing be found in its place; called when that came after its text."""
    changed(
        update(ListingToken)
        .where(ListingToken.listing_id == listing.id)
        .values(posted=tokens.place(listing.posted_at))
    )


def drop(*listing_ids: int) -> None:
    """Let listings be found no more."""
    changed(delete(ListingToken).where(ListingToken.listing_id.in_(listing_ids)))


def index_next(after_id: int) -> Batch:
    """Let the next posted listings be found anew; return how many, and the last."""
    listings = db.session.scalars(
        select(Listing)
        .where(Listing.id > after_id)
        .order_by(Listing.id)
        .limit(SIZE)
        .options(selectinload(Listing.lines))
        .with_for_update(of=Listing)
    ).all()
    posted = [listing for listing in listings if listing.state is not S.DRAFT]
    for listing in posted:
        index(listing)
    last = listings[-1].id if listings else after_id
    return Batch(len(posted), last)
