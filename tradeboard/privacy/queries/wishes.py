"""Read what the person looks for and keeps: searches, cards, and who is blocked."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import select

from tradeboard.accounts.models import Account, Block
from tradeboard.cards.models import Card
from tradeboard.core.db import db
from tradeboard.listings.models import SavedSearch


def searches(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the searches that the person keeps."""
    own = select(SavedSearch).where(SavedSearch.account_id == owner.id)
    for row in db.session.scalars(own.order_by(SavedSearch.id)):
        yield {
            "search": row.asked,
            "mail": row.mail,
            "made_at": row.made_at,
            "told_until": row.told_until,
        }


def cards(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield the cards on the lists of what the person has and wants."""
    names = "side name game set_code rarity language condition quantity added_at"
    own = select(Card).where(Card.account_id == owner.id).order_by(Card.id)
    for row in db.session.scalars(own.execution_options(yield_per=1000)):
        yield {name: getattr(row, name) for name in names.split()}


def blocks(owner: Account) -> Iterator[dict[str, Any]]:
    """Yield whom the person blocked; not who blocked the person."""
    own = (
        select(Account.handle, Block.since)
        .join(Account, Account.id == Block.blocked_id)
        .where(Block.account_id == owner.id)
        .order_by(Block.since, Block.blocked_id)
    )
    for row in db.session.execute(own):
        yield {"handle": row.handle, "since": row.since}
