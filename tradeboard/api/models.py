"""The table of keys for machines."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models import Account
from tradeboard.api import rules
from tradeboard.core.db import db


class ApiKey(db.Model):
    """A key is shown once; kept is what finds it and the hash of its secret.

    `account_id` is null for a key that the operator made by command.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id), index=True)
    name: Mapped[str]
    key_id: Mapped[str] = mapped_column(unique=True)
    secret_hash: Mapped[str]
    scopes: Mapped[str]
    made_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    account: Mapped[Account | None] = relationship(lazy="raise_on_sql")

    @property
    def opens(self) -> list[rules.Scope]:
        """Return what it opens."""
        return [scope for scope in rules.Scope if scope in self.scopes.split()]

    @property
    def begins_with(self) -> str:
        """Return what its owner may recognise it by."""
        return f"tb_{self.key_id}_…"
