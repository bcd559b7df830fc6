"""Listings of a world: blocks that people could have written, repeated by number."""

import hashlib
from collections.abc import Iterator

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    case,
    insert,
    literal,
    select,
)
from sqlalchemy import cast as sql_cast

from bench import words
from bench.bulk import Bulk
from bench.words import Block
from bench.world import (
    EXPIRED_TO,
    KINDS,
    LISTED_WITHIN_S,
    OPEN_BELOW,
    PHOTO_EVERY,
    RARE_AT,
    RARE_EVERY,
    World,
)
from tradeboard.core import folding
from tradeboard.core.db import db
from tradeboard.listings.models import Line, Listing, ListingToken, Photo
from tradeboard.listings.rules import ListingData, ListingState, Side, states
from tradeboard.listings.services import indexing, writing

S = ListingState
LATE_S = 31 * 86_400
GONE = 2  # So many copies of what was withdrawn had gone before.
MICROS = 1_000_000
LINES_A_LISTING = 10  # Its lines are numbered from ten times its own number.

scratch = MetaData()
# One row a number from 0: which listing it is, who owns it, and since when it stands.
numbers = Table(
    "bench_number",
    scratch,
    Column("n", Integer, primary_key=True),
    Column("block", Integer),
    Column("owner", Integer),
    Column("posted_s", Integer),
    Index("ix_bench_number_block", "block", "n"),
)
block_rows = Table(
    "bench_block",
    scratch,
    Column("block", Integer, primary_key=True),
    Column("state", String),
    Column("game", String),
    Column("note", String),
    Column("ships_from", String),
    Column("ships_to", String),
    Column("search_key", String),
    Column("text_digest", String),
)
block_lines = Table(
    "bench_block_line",
    scratch,
    Column("block", Integer, primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("side", String),
    Column("name", String),
    Column("key", String),
    Column("set_code", String),
    Column("rarity", String),
    Column("language", String),
    Column("condition", String),
    Column("quantity", Integer),
    Column("free", Integer),
    Column("traded", Integer),
)
block_tokens = Table(
    "bench_block_token",
    scratch,
    Column("token", String, primary_key=True),
    Column("block", Integer, primary_key=True),
    sqlite_with_rowid=False,
)
TABLES = db.metadata.tables
FILLED = tuple(TABLES[m.__tablename__] for m in (Listing, Line, ListingToken, Photo))


def prepare(bulk: Bulk, world: World) -> None:
    """Write the blocks, and number the listings."""
    scratch.create_all(bulk.connection)
    made = words.blocks(world.blocks, KINDS)
    bulk.rows(block_rows, map(_block_row, made))
    bulk.rows(block_lines, (row for block in made for row in _line_rows(block)))
    found = [
        {"token": token, "block": block.number}
        for block in made
        if _state(block.kind) not in indexing.OVER
        for token in found_by(block)
    ]
    bulk.rows(block_tokens, sorted(found, key=lambda row: row["token"]))
    _number(bulk, world)


def _number(bulk: Bulk, world: World) -> None:
    counted = select(literal(0, BigInteger).label("n")).cte("counted", recursive=True)
    counted = counted.union_all(
        select(counted.c.n + 1).where(counted.c.n < world.size - 1)
    )
    n = counted.c.n
    rare = world.blocks + n // RARE_EVERY % len(words.RARE)
    block = case((n % RARE_EVERY == RARE_AT, rare), else_=n % world.blocks)
    ago = (world.size - n) * LISTED_WITHIN_S // world.size
    late = (n % KINDS > OPEN_BELOW) & (n % KINDS <= EXPIRED_TO)
    posted = int(world.at.timestamp()) - ago - case((late, LATE_S), else_=0)
    made = select(n, block, world.free(n * 7919 % 1_000_003), posted)
    names = ["n", "block", "owner", "posted_s"]
    bulk.connection.execute(insert(numbers).from_select(names, made))


def fill(bulk: Bulk, world: World) -> None:
    """Write every listing with its cards, pieces and photos."""
    n, block = numbers.c, block_rows.c
    both = numbers.join(block_rows, n.block == block.block)
    posted = bulk.moment(n.posted_s)
    ends = bulk.moment(n.posted_s + int(states.LIFETIME.total_seconds()))
    bulk.select(
        TABLES[Listing.__tablename__],
        {
            "id": n.n + 1,
            "owner_id": n.owner,
            "state": block.state,
            "game": block.game,
            "note": block.note,
            "ships_from": block.ships_from,
            "ships_to": block.ships_to,
            "search_key": block.search_key,
            "text_digest": block.text_digest,
            "terms_number": 1,
            "created_at": posted,
            "changed_at": posted,
            "posted_at": posted,
            "expires_at": ends,
        },
        both,
    )
    line = block_lines.c
    shown = ("side", "name", "key", "set_code", "rarity", "language", "condition")
    counted = ("quantity", "free", "traded")
    bulk.select(
        TABLES[Line.__tablename__],
        {
            "id": (n.n + 1) * LINES_A_LISTING + line.place,
            "listing_id": n.n + 1,
            **{name: line[name] for name in (*shown, *counted)},
        },
        numbers.join(block_lines, n.block == line.block),
    )
    token = block_tokens.c
    bulk.select(
        TABLES[ListingToken.__tablename__],
        {
            "token": token.token,
            "posted": sql_cast(n.posted_s, BigInteger) * MICROS,
            "listing_id": n.n + 1,
        },
        # In the order of the pieces, so that SQLite's only index grows at one place.
        block_tokens.join(numbers, n.block == token.block),
    )
    bulk.rows(TABLES[Photo.__tablename__], _photos(world))


def _state(kind: int) -> ListingState:
    if kind < OPEN_BELOW:
        return S.OPEN
    if words.is_reserved(kind):
        return S.RESERVED
    return S.EXPIRED if kind <= EXPIRED_TO else S.WITHDRAWN


def _block_row(block: Block) -> dict:
    data = block.data
    names = _names(data)
    return {
        "block": block.number,
        "state": _state(block.kind),
        "game": data.game,
        "note": data.note,
        "ships_from": data.ships_from,
        "ships_to": data.ships_to,
        "search_key": names.search_key,
        "text_digest": names.digest,
    }


def _names(data: ListingData) -> indexing.Names:
    return indexing.names(data.game, [*data.have, *data.want], data.note)


def _line_rows(block: Block) -> Iterator[dict]:
    is_promised = OPEN_BELOW <= block.kind <= EXPIRED_TO
    gone = GONE if block.kind > EXPIRED_TO else 0
    for place, (side, line) in enumerate(block.data.lines()):
        is_offered = side is Side.HAVE
        left = 0 if is_promised and is_offered else line.quantity
        yield {
            "block": block.number,
            "place": place,
            **writing.card(side, line),
            "key": folding.key(line.name),
            "free": left - gone * is_offered,
            "traded": gone * is_offered,
        }


def found_by(block: Block) -> set[str]:
    """Return the pieces and marks of a listing, as posting it would."""
    data = block.data
    return set(indexing.pieces(_names(data).search_key, data, data.have))


def _photos(world: World) -> Iterator[dict]:
    for n in range(0, world.size, PHOTO_EVERY):
        yield {
            "id": hashlib.md5(b"photo %d" % n).hexdigest(),
            "listing_id": n + 1,
            "owner_id": world.free(n * 7919 % 1_000_003),
            "position": 0,
            "alt": "front",
            "digest": f"{n:016x}",
            "width": 1200,
            "height": 900,
            "added_at": world.at,
        }
