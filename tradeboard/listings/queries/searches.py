"""Searches that members keep, and what is new in them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import func, select, text

from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.listings.models import Listing, SavedSearch
from tradeboard.listings.queries import board, finding
from tradeboard.listings.rules.search import Filters

DAILY = timedelta(days=1)
# Written out, so that both databases may use the partial index.
MAILED = text("saved_search.mail")


def of_account(account_id: int) -> Sequence[SavedSearch]:
    """Return what a member keeps, the oldest first."""
    found = (
        select(SavedSearch)
        .where(SavedSearch.account_id == account_id)
        .order_by(SavedSearch.id)
    )
    return db.session.scalars(found).all()


def get_own(account_id: int, search_id: int) -> SavedSearch:
    """Return a search of that member's, or raise NotFound."""
    found = db.session.scalar(
        select(SavedSearch).where(
            SavedSearch.id == search_id, SavedSearch.account_id == account_id
        )
    )
    if found is None:
        raise NotFound("この検索は見つかりません。")
    return found


def find_same(account_id: int, asked: str) -> SavedSearch | None:
    """Return the search that a member keeps already, if so."""
    return db.session.scalar(
        select(SavedSearch).where(
            SavedSearch.account_id == account_id, SavedSearch.asked == asked
        )
    )


def due_members(now: datetime, *, limit: int = 500) -> Sequence[int]:
    """Return members who were told of a search a day ago or longer."""
    oldest = (
        select(SavedSearch.account_id, SavedSearch.told_until)
        .where(MAILED, SavedSearch.told_until <= now - DAILY)
        .order_by(SavedSearch.told_until, SavedSearch.id)
        .limit(limit)
        .subquery()
    )
    members = select(oldest.c.account_id).group_by(oldest.c.account_id)
    return db.session.scalars(members.order_by(func.min(oldest.c.told_until))).all()


def newer_than(
    filters: Filters, moment: datetime, *, not_of: int, size: int = 5
) -> Sequence[board.Tile]:
    """Return what somebody else put on the board since, newest first."""
    found = (
        finding.newest(board.SHOWN, finding.plan(replace(filters, since=moment)))
        .where(Listing.owner_id != not_of)
        .limit(size)
    )
    return board.tiles(db.session.execute(found).all())
