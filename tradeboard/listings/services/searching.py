"""Searches that members keep, and the daily mail about what is new in them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.accounts.services import standing
from tradeboard.core.db import db
from tradeboard.core.errors import RuleBroken
from tradeboard.listings.models import SavedSearch
from tradeboard.listings.queries import searches
from tradeboard.listings.rules import search
from tradeboard.notifications.services import queue_mail

TOLD_OF = 5


def keep(asked: Mapping[str, str], *, by: Account, now: datetime) -> SavedSearch:
    """Keep a search; one that is kept already stays as it is."""
    text = search.to_keep(search.without(asked, search.BY_VISIT))
    if not text:
        raise RuleBroken("条件を1つ以上選ぶと、検索を保存できます。")
    standing.lock([by.id])
    same = searches.find_same(by.id, text)
    if same is not None:
        return same
    if len(searches.of_account(by.id)) >= search.MOST_SAVED:
        raise RuleBroken(
            "保存できる検索は%(n)s件までです。使わない検索を削除してください。",
            n=search.MOST_SAVED,
        )
    kept = SavedSearch(
        account_id=by.id, asked=text, mail=True, made_at=now, told_until=now
    )
    db.session.add(kept)
    db.session.flush()
    return kept


def set_mail(search_id: int, wanted: bool, *, by: Account, now: datetime) -> None:
    """Send a daily mail of a search, or none; it tells of what comes from now on."""
    kept = searches.get_own(by.id, search_id)
    if wanted and not kept.mail:
        kept.told_until = now
    kept.mail = wanted


def forget(search_id: int, *, by: Account, now: datetime) -> None:
    """Keep a search no more."""
    db.session.delete(searches.get_own(by.id, search_id))


def tell(account_id: int, *, now: datetime) -> int:
    """Tell a member in one mail what is new in all kept searches; return how much."""
    kept = _mailed(account_id)
    # Somebody else may have told meanwhile.
    if not any(one.told_until <= now - searches.DAILY for one in kept):
        return 0
    account = accounts.get_account(account_id)
    # An address that nobody has confirmed may be a stranger's.
    may_be_told = account.closed_at is None and account.is_confirmed
    found = _news(kept, account_id) if may_be_told else []
    for one in kept:
        one.told_until = now
    if found:
        queue_mail(
            account,
            "listings/mail/saved_search.txt",
            key=f"saved-search:{account_id}:{now.isoformat()}",
            now=now,
            searches=found,
            count=sum(one["count"] for one in found),
        )
    return len(found)


def _mailed(account_id: int) -> list[SavedSearch]:
    found = (
        select(SavedSearch)
        .where(SavedSearch.account_id == account_id, SavedSearch.mail)
        .order_by(SavedSearch.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return list(db.session.scalars(found))


def _news(kept: list[SavedSearch], account_id: int) -> list[dict[str, Any]]:
    """Return each search that has something new, with the first few."""
    told = []
    for one in kept:
        asked = search.kept(one.asked)
        filters = search.filters(asked, viewer_id=account_id)
        tiles = searches.newer_than(
            filters, one.told_until, not_of=account_id, size=TOLD_OF + 1
        )
        if tiles:
            titles = [_printable(tile.title) for tile in tiles[:TOLD_OF]]
            more = len(tiles) > TOLD_OF
            told.append(
                {"asked": asked, "titles": titles, "more": more, "count": len(tiles)}
            )
    return told


def _printable(title: str) -> str:
    return "".join(sign for sign in title if sign.isprintable())
