"""The table of why staff did what needs a reason."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.accounts.models.people import Account
from tradeboard.core.db import db


class StaffReason(db.Model):
    """Why somebody of staff did something grave; the audit log holds a hash of it.

    `by_id` is null when it was done on the server.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    by_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id))
    act: Mapped[str]
    thing: Mapped[str]
    words: Mapped[str]
