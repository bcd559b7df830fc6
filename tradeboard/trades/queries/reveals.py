"""Read when a person's number was shown, to whom, and in which trade."""

from datetime import datetime

from sqlalchemy import select

from tradeboard.accounts.models import Account
from tradeboard.audit import queries as audit
from tradeboard.core import paging
from tradeboard.core.db import db
from tradeboard.core.paging import PAGE_SIZE, Cursor, Page
from tradeboard.core.records import dataclass

REVEAL = "reveal number"


@dataclass(frozen=True)
class Reveal:
    """One time that a number was shown; the number itself is not kept with it."""

    id: int
    at: datetime
    trade_id: int
    viewer: Account


def reveals_of(
    account_id: int, after: Cursor | None = None, *, size: int = PAGE_SIZE
) -> Page[Reveal]:
    """Return when a person's own number was shown, newest first."""
    rows = audit.rows_of(
        f"account:{account_id}",
        REVEAL,
        before=after.id if after else None,
        limit=size + 1,
    )
    ids = {row.body["viewer"] for row in rows}
    viewers = db.session.scalars(select(Account).where(Account.id.in_(ids)))
    by_id = {viewer.id: viewer for viewer in viewers}
    found = [
        Reveal(row.seq, row.at, row.body["trade"], by_id[row.body["viewer"]])
        for row in rows
    ]
    return paging.page(found, size, "at")
