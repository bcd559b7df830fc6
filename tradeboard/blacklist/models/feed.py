"""The feed that mirrors follow: append-only, numbered without gaps."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.blacklist.models.entries import Entry
from tradeboard.blacklist.rules.feed import ChangeType
from tradeboard.core.db import db


class Change(db.Model):
    """What the public sees of an entry changed; a tombstone names the entry alone.

    The numbers are given under the lock of the head, so that nobody who reads on from
    a number misses one that was committed later.
    """

    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime]
    type: Mapped[ChangeType]
    entry_id: Mapped[int] = mapped_column(ForeignKey(Entry.id), index=True)
    body: Mapped[dict[str, Any]] = mapped_column(JSON)


class FeedHead(db.Model):
    """The number of the newest change, in one row that every writer locks."""

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int]
