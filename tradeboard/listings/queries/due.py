"""Which listings time has something to do to."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, text

from tradeboard.core.db import db
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import states

# Written out, so that both databases may use the partial index.
OPEN = text("listing.state = 'open'")


def expired_ids(now: datetime, *, limit: int = 500) -> Sequence[int]:
    """Return open listings whose 30 days are over, the oldest first."""
    due = (
        select(Listing.id)
        .where(OPEN, Listing.expires_at <= now)
        .order_by(Listing.expires_at, Listing.id)
        .limit(limit)
    )
    return db.session.scalars(due).all()


def ending_ids(now: datetime, *, limit: int = 500) -> Sequence[int]:
    """Return open listings that end soon and whose owners have not been told."""
    due = (
        select(Listing.id)
        .where(
            OPEN,
            Listing.expires_at > now,
            Listing.expires_at <= now + states.TOLD_BEFORE_THE_END,
            Listing.end_told_at.is_(None),
        )
        .order_by(Listing.expires_at, Listing.id)
        .limit(limit)
    )
    return db.session.scalars(due).all()
