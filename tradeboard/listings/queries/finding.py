"""Which listings a search finds, by the table of pieces and marks.

The rarest thing that is asked for leads along the board, newest first, and what it
leads to is looked at one by one. Of what is frequent only so many are looked at for a
page; who wants older ones goes on from there, so that no search reads the whole board.
"""

import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import String, bindparam, func, literal, select, union_all
from sqlalchemy.orm import aliased

from tradeboard.core import folding, paging
from tradeboard.core.db import db
from tradeboard.core.kept import Kept
from tradeboard.core.records import dataclass
from tradeboard.listings.models import ListingToken
from tradeboard.listings.queries import walking
from tradeboard.listings.queries.walking import WALKED, Shape
from tradeboard.listings.rules import tokens
from tradeboard.listings.rules.search import Filters

# Beyond so many listings a token is common.
RARE = 500

Group = tuple[str, ...]
# How many listings have a token, and where the last of those counted stands: only how
# fast a search is depends on it.
_frequencies: Kept[str, tuple[int, int]] = Kept(seconds=60, most=4000)


@dataclass(frozen=True)
class Plan:
    """What to look for: `leader` leads, and a walk that `is_cut` ends after 1,000."""

    filters: Filters
    leader: Group
    marks: Sequence[Group]
    is_cut: bool

    @property
    def likes(self) -> list[str]:
        """Return the words that the leader alone does not tell of."""
        terms = self.filters.terms
        return [t for t in terms if not (tokens.is_exact(t) and self.leader == (t,))]

    def shape(self, after: paging.Cursor | None = None, prefix: str = "") -> Shape:
        """Return how this is asked, whatever it asks for."""
        return Shape(
            leader=len(self.leader),
            marks=tuple(map(len, self.marks)),
            likes=len(self.likes),
            photo=self.filters.photo,
            mine=self.filters.has_what is not None,
            since=self.filters.since is not None,
            after=after is not None,
            is_cut=self.is_cut,
            prefix=prefix,
        )

    def values(
        self, after: paging.Cursor | None = None, prefix: str = ""
    ) -> dict[str, Any]:
        """Return what fills the gaps of the statement that has this shape."""
        since = self.filters.since
        values: dict[str, Any] = {
            "mine": self.filters.has_what,
            "since": since,
            "since_place": tokens.place(since),
            "at": after.at if after else None,
            "at_place": tokens.place(after.at) if after else None,
            "at_id": after.id if after else None,
        }
        for n, token in enumerate(self.leader):
            values[f"leader_{n}"] = token
        for n, group in enumerate(self.marks):
            values |= {f"mark_{n}_{m}": token for m, token in enumerate(group)}
        for n, term in enumerate(self.likes):
            values[f"like_{n}"] = folding.like(term)
        return {prefix + name: value for name, value in values.items()}


def plan(filters: Filters) -> Plan:
    """Find out what is rare in a search; one short statement at most."""
    return plans([filters])[0]


def plans(searches: Sequence[Filters]) -> list[Plan]:
    """Find out what is rare in several searches; one statement for all at most."""
    asked = [(_pieces(filters), _marks(filters)) for filters in searches]
    groups = {group for pair in asked for groups in pair for group in groups}
    known = _counted({token for group in groups for token in group})
    return [
        _planned(filters, [*pieces, *marks], marks, known)
        for filters, (pieces, marks) in zip(searches, asked, strict=True)
    ]


def newest(columns: Sequence[Any], plan: Plan, after: paging.Cursor | None = None):
    """Select what is on the board and fits, newest first, of who may trade."""
    found = walking.newest(columns, plan.shape(after))
    return found.params(plan.values(after))


def walked_to(plan: Plan, after: paging.Cursor | None) -> paging.Cursor | None:
    """Return where a walk was cut, or None if it came to its end."""
    walk = walking.walk(plan.shape(after)) if plan.is_cut else None
    if walk is None:
        return None
    newest = (walk.c.posted.desc(), walk.c.listing_id.desc())
    last = select(walk.c.posted, walk.c.listing_id).order_by(*newest)
    row = db.session.execute(
        last.offset(WALKED - 1).limit(1), plan.values(after)
    ).first()
    if row is None:
        return None
    at = tokens.posted_at(row.posted) if plan.leader else row.posted
    return paging.Cursor(at, row.listing_id)


def _planned(
    filters: Filters,
    groups: list[Group],
    marks: list[Group],
    known: dict[str, tuple[int, int]],
) -> Plan:
    if not groups:
        is_cut = filters.photo and filters.has_what is None
        return Plan(filters, (), [], is_cut)
    leader = min(groups, key=lambda group: _frequency(group, known))
    others = [group for group in marks if group != leader]
    return Plan(filters, leader, others, _frequency(leader, known)[0] > RARE)


def _frequency(group: Group, known: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """Return what orders groups: the rare by number, the common by how old theirs are.

    The older the last of the newest 500, the fewer there are in the same time.
    """
    counts = [known[token] for token in group]
    return min(sum(n for n, _ in counts), RARE + 1), max(last for _, last in counts)


def _pieces(filters: Filters) -> list[Group]:
    pieces: list[Group] = []
    for term in filters.terms:
        pieces += [(piece,) for piece in tokens.pieces_of_term(term)]
    return list(dict.fromkeys(pieces))[: tokens.MOST_PIECES]


def _marks(filters: Filters) -> list[Group]:
    marks: list[Group] = []
    if filters.game:
        marks.append((tokens.mark_of_game(filters.game),))
    if filters.abroad:
        marks.append((tokens.mark_of_reach("abroad"),))
    if filters.conditions or filters.language or filters.rarity:
        marks.append(_cards(filters))
    return marks


def _cards(filters: Filters) -> Group:
    """Return the marks of one card that fits in every respect."""
    return tuple(
        tokens.mark_of_card(condition, filters.language, filters.rarity)
        for condition in filters.conditions or ("",)
    )


def _counted(asked: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return how many listings have each token, counted no further than 501."""
    at = time.monotonic()
    kept = {token: _frequencies.find(token, at=at) for token in asked}
    known = {token: found for token, found in kept.items() if found is not None}
    unknown = sorted(kept.keys() - known.keys())
    if not unknown:
        return known
    named = {f"token_{n}": token for n, token in enumerate(unknown)}
    counting = _counting(len(unknown), RARE)
    # Past the session, as the board's statements are.
    for nth, n, last in db.session.connection().execute(counting, named):
        known[unknown[nth]] = (n, last or 0)
        _frequencies.keep(unknown[nth], (n, last or 0), asked_at=at)
    return known


@lru_cache(maxsize=256)
def _counting(tokens_asked: int, rare: int):
    """Return how tokens are counted, put together once for each number of them."""
    each = []
    for n in range(tokens_asked):
        token = aliased(ListingToken)
        some = (
            select(token.posted)
            .where(token.token == bindparam(f"token_{n}", type_=String))
            .order_by(token.posted.desc(), token.listing_id.desc())
            .limit(rare + 1)
            .subquery()
        )
        each.append(select(literal(n), func.count(), func.min(some.c.posted)))
    return union_all(*each)
