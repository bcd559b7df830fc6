"""Ask who of staff is far enough from people to decide between them."""

from collections.abc import Collection

from sqlalchemy import and_, or_, select

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.trades.models import Trade

# Whoever is too near is told so; it says of no block that there is one.
NEAR = "この件は、ほかの担当者に任せてください。"


def may_judge(by: Account, people: Collection[int]) -> bool:
    """Tell whether somebody may decide a case of these people: none of them, nor near.

    Near is whoever has agreed on a trade with one of them, or has a block with one, in
    either direction. If all of staff are near, whoever is none of them may.
    """
    if by.id in people:
        return False
    if not _is_near(by.id, people):
        return True
    others = [person.id for person in accounts.staff() if person.id != by.id]
    return all(other in people or _is_near(other, people) for other in others)


def _is_near(account_id: int, people: Collection[int]) -> bool:
    """Tell whether somebody has traded with one of these, or a block with one."""
    if accounts.apart_from(account_id) & set(people):
        return True
    agreed = select(Trade.id).where(
        Trade.agreed_at.is_not(None),
        or_(
            and_(Trade.poster_id == account_id, Trade.proposer_id.in_(people)),
            and_(Trade.proposer_id == account_id, Trade.poster_id.in_(people)),
        ),
    )
    return db.session.scalar(agreed.limit(1)) is not None
