"""The table of backups made and of trials to restore one."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, Index
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core.db import db


class Kind(StrEnum):
    """What was done."""

    BACKUP = "backup"
    PROOF = "proof"


class BackupRun(db.Model):
    """One backup, or one trial to restore the newest; `note` says why it failed."""

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[Kind]
    at: Mapped[datetime]
    ok: Mapped[bool]
    bytes: Mapped[int] = mapped_column(BigInteger)
    seconds: Mapped[float]
    name: Mapped[str]
    note: Mapped[str]

    __table_args__ = (Index(None, "kind", "at"),)
