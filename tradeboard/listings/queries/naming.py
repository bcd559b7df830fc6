"""Names of cards on the board, while somebody is still typing one."""

from collections.abc import Sequence

from sqlalchemy import and_, case, func, select

from tradeboard.core import folding
from tradeboard.core.db import db
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.queries import finding
from tradeboard.listings.rules.search import Filters

MOST = 8
# From how many listings that have it, the newest, names are taken.
SAMPLE = 200


def names_like(typed: str, limit: int = MOST) -> Sequence[str]:
    """Return names that have what was typed: those that begin so, then frequent ones.

    Ways of writing one name count as one; it is shown as one of them.
    """
    terms = folding.terms(typed)
    if not terms:
        return []
    newest = (
        finding.newest([Listing.id], finding.plan(Filters(terms=terms)))
        .limit(SAMPLE)
        .subquery()
    )
    begins = Line.key.like(folding.like(terms[0])[1:], escape="\\")
    found = (
        select(func.min(Line.name))
        .join(newest, newest.c.id == Line.listing_id)
        .where(and_(*(_has(term) for term in terms)))
        .group_by(Line.key)
        .order_by(case((begins, 0), else_=1), func.count().desc(), Line.key)
        .limit(limit)
    )
    return db.session.scalars(found).all()


def _has(term: str):
    return Line.key.like(folding.like(term), escape="\\")
