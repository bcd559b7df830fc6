"""Tell members of new partners, at most once a day."""

from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.cards import queries
from tradeboard.cards.models import MatchNews
from tradeboard.cards.queries.due import A_DAY
from tradeboard.cards.rules import matching
from tradeboard.core.db import db
from tradeboard.notifications.services import queue_mail

MOST_NAMED = 5


def tell_matches(account_id: int, *, now: datetime) -> int:
    """Look up a member's partners, and tell of those not told of before.

    That they were looked up is noted even if nobody is new, so that it is done daily.
    """
    account = accounts.get_account(account_id)
    queries.lock(account_id)
    news = queries.find_news(account_id)
    if news is not None and now - news.told_at < A_DAY:
        return 0
    found, _ = queries.partners(account_id, limit=matching.MOST_TOLD)
    told = set(news.partners) if news is not None else set()
    new = [partner for partner in found if partner.id not in told]
    if news is None:
        news = MatchNews(account_id=account_id, partners=[])
        db.session.add(news)
    news.told_at = now
    if not new:
        return 0
    kept = [*news.partners, *(partner.id for partner in new)]
    news.partners = kept[-matching.MOST_TOLD :]
    queue_mail(
        account,
        "cards/mail/matches.txt",
        key=f"matches:{account_id}:{now.isoformat()}",
        now=now,
        count=len(new),
        names=[partner.handle for partner in new[:MOST_NAMED]],
    )
    return len(new)
