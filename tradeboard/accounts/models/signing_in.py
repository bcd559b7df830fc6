"""Ways in: sessions, the second factor, mailed links."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models.devices import Device
from tradeboard.accounts.models.people import Account
from tradeboard.core.db import db


class Session(db.Model):
    """A signed-in browser; its cookie holds the token whose hash this is."""

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    device_id: Mapped[int | None] = mapped_column(ForeignKey(Device.id))
    created_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    ends_at: Mapped[datetime]
    signed_in_at: Mapped[datetime]
    second_factor_at: Mapped[datetime | None]
    label: Mapped[str] = mapped_column(default="")
    network: Mapped[str] = mapped_column(default="")
    revoked_at: Mapped[datetime | None]

    account: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


class Totp(db.Model):
    """The second factor of an account; the secret is sealed."""

    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), primary_key=True)
    secret: Mapped[str]
    confirmed_at: Mapped[datetime | None]
    last_step: Mapped[int] = mapped_column(default=0)


class RecoveryCode(db.Model):
    """A way in without the second factor, once."""

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    code_hash: Mapped[str] = mapped_column(unique=True)
    used_at: Mapped[datetime | None]


class MailedToken(db.Model):
    """A link sent by mail: good once, for one address, until it expires.

    `email` is the new address as it was typed, for a change of it alone.
    """

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    purpose: Mapped[str]
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    email: Mapped[str | None]
    email_wire: Mapped[str]
    made_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    used_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("purpose IN ('confirm', 'reset', 'change')", name="purpose"),
    )
