"""Which cards could change hands between people."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import field

from sqlalchemy import Subquery, func, select, union_all
from sqlalchemy.orm import aliased

from tradeboard.cards.models import Card
from tradeboard.cards.queries.matching import meet
from tradeboard.cards.rules import limits
from tradeboard.core.db import db
from tradeboard.core.records import dataclass

Route = tuple[int, int]
# As many meetings as a list has lines, and for a short look fewer.
MOST_MET, MET_FOR_ONE = limits.MOST_LINES, 20


@dataclass
class Passing:
    """Copies of one card that could pass, written as their owner writes them."""

    key: str
    name: str
    set_code: str
    rarity: str
    language: str
    condition: str
    _have: dict[int, int] = field(default_factory=dict)
    _want: dict[int, int] = field(default_factory=dict)

    @property
    def copies(self) -> int:
        """Return how many copies can pass."""
        return min(sum(self._have.values()), sum(self._want.values()))

    def meet(self, row) -> None:
        """Count a line of the have list and a line of the want list, each once."""
        self._have[row.have_id] = row.have_copies
        self._want[row.want_id] = row.want_copies


def passing(routes: Collection[Route], most: int) -> dict[Route, list[Passing]]:
    """Return for each (giver, taker) which cards could pass: one statement.

    For each route so many meetings of a card with a wish are read.
    """
    if not routes:
        return {}
    bound = min(MOST_MET, most * MET_FOR_ONE)
    met = union_all(*(select(_met(*route, bound)) for route in set(routes))).subquery()
    nth = func.row_number().over(
        partition_by=(met.c.giver, met.c.taker),
        order_by=(met.c.name, met.c.have_id, met.c.want_id),
    )
    numbered = select(met, nth.label("nth")).subquery()
    found = select(numbered).where(numbered.c.nth <= most).order_by(numbered.c.nth)
    return _by_route(db.session.execute(found))


def _met(giver_id: int, taker_id: int, bound: int) -> Subquery:
    """Return meetings of one's have list with the other's want list, to a bound.

    One card on both lists in many ways of writing meets itself millions of times.
    """
    have, want = aliased(Card), aliased(Card)
    return (
        select(
            have.account_id.label("giver"),
            want.account_id.label("taker"),
            have.key,
            have.name,
            have.set_code,
            have.rarity,
            have.language,
            have.condition,
            have.id.label("have_id"),
            have.quantity.label("have_copies"),
            want.id.label("want_id"),
            want.quantity.label("want_copies"),
        )
        .join_from(have, want, meet(have, want))
        .where(have.account_id == giver_id, want.account_id == taker_id)
        .limit(bound)
        .subquery()
    )


def _by_route(rows) -> dict[Route, list[Passing]]:
    cards: dict[Route, dict[str, Passing]] = defaultdict(dict)
    for row in rows:
        of_route = cards[row.giver, row.taker]
        if row.key not in of_route:
            of_route[row.key] = Passing(
                row.key,
                row.name,
                row.set_code,
                row.rarity,
                row.language,
                row.condition,
            )
        of_route[row.key].meet(row)
    return {route: list(found.values()) for route, found in cards.items()}
