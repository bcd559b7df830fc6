"""Whose matches are to be looked up for the daily news."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import exists, or_, select

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.cards.models import Card, MatchNews
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core.db import db

A_DAY = timedelta(days=1)


def due_for_news(now: datetime, limit: int = 200) -> Sequence[int]:
    """Return members with both lists whose matches were not looked up for a day."""
    both = [
        exists().where(Card.account_id == Account.id, Card.side == side)
        for side in CardSide
    ]
    found = (
        select(Account.id)
        .outerjoin(MatchNews, MatchNews.account_id == Account.id)
        .where(
            or_(MatchNews.told_at.is_(None), MatchNews.told_at <= now - A_DAY),
            Account.standing == Standing.GOOD,
            Account.email_confirmed_at.is_not(None),
            Account.closed_at.is_(None),
            *both,
        )
        .order_by(MatchNews.told_at, Account.id)
        .limit(limit)
    )
    return db.session.scalars(found).all()


def find_news(account_id: int) -> MatchNews | None:
    """Return which partners a member has been told of, or None."""
    return db.session.get(MatchNews, account_id)
