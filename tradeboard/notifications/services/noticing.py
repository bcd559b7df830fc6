"""Notices on the site: read once, for every browser alike; kept for a while."""

from datetime import datetime

from sqlalchemy import delete, update

from tradeboard.core.db import changed
from tradeboard.notifications import queries
from tradeboard.notifications.models import Notice


def open_notice(account_id: int, notice_id: int, *, now: datetime) -> Notice:
    """Mark a notice as read and return it; nobody opens another's."""
    notice = queries.get_notice_of(account_id, notice_id)
    notice.read_at = notice.read_at or now
    return notice


def read_all(account_id: int, *, up_to: int | None = None, now: datetime) -> int:
    """Mark all notices as read, or those up to one; return how many were unread."""
    unread = update(Notice).where(
        Notice.account_id == account_id, Notice.read_at.is_(None)
    )
    if up_to is not None:
        unread = unread.where(Notice.id <= up_to)
    return changed(unread.values(read_at=now))


def read_where_it_leads(account_id: int, *paths: str, now: datetime) -> int:
    """Mark as read what leads to pages that a person has just seen."""
    unread = update(Notice).where(
        Notice.account_id == account_id,
        Notice.read_at.is_(None),
        Notice.path.in_(paths),
    )
    return changed(unread.values(read_at=now))


def forget_notices(*, before: datetime, limit: int = 500) -> int:
    """Delete some of the notices given up to a moment; return how many."""
    ids = queries.old_notice_ids(before, limit=limit)
    return changed(delete(Notice).where(Notice.id.in_(ids))) if ids else 0
