"""Which listings some members have open, a few of each."""

from collections import defaultdict
from collections.abc import Collection

from sqlalchemy import func, select

from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import ListingState, Side, contents

MOST_EACH = 3


@dataclass(frozen=True)
class Offered:
    """An open listing: its title, and the keys of the cards that it offers."""

    id: int
    title: str
    keys: frozenset[str]


def offered_by(owner_ids: Collection[int]) -> dict[int, list[Offered]]:
    """Return the newest open listings of each of some members: one statement."""
    if not owner_ids:
        return {}
    newest = (
        select(
            Listing.id,
            Listing.owner_id,
            func.row_number()
            .over(partition_by=Listing.owner_id, order_by=Listing.id.desc())
            .label("nth"),
        )
        .where(Listing.owner_id.in_(owner_ids), Listing.state == ListingState.OPEN)
        .subquery()
    )
    found = (
        select(newest.c.owner_id, newest.c.id, Line.name, Line.quantity, Line.key)
        .join(Line, Line.listing_id == newest.c.id)
        .where(newest.c.nth <= MOST_EACH, Line.side == Side.HAVE)
        .order_by(newest.c.owner_id, newest.c.id.desc(), Line.id)
    )
    lines: dict[tuple[int, int], list] = defaultdict(list)
    for owner_id, listing_id, *line in db.session.execute(found):
        lines[owner_id, listing_id].append(line)
    offered: dict[int, list[Offered]] = defaultdict(list)
    for (owner_id, listing_id), its in lines.items():
        title = contents.title([(name, quantity) for name, quantity, _ in its])
        keys = frozenset(key for *_, key in its)
        offered[owner_id].append(Offered(listing_id, title, keys))
    return offered
