"""Ways in: sessions, the second factor, passkeys, mailed links."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey
from sqlalchemy import false as sa_false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models.devices import Device
from tradeboard.accounts.models.people import Account
from tradeboard.core.db import db


class Session(db.Model):
    """A signed-in browser; its cookie holds the token whose hash this is.

    `proved_at` is when password, code or passkey was last shown; a session that
    `awaits_factor` opens nothing yet.
    """

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    device_id: Mapped[int | None] = mapped_column(ForeignKey(Device.id))
    created_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    ends_at: Mapped[datetime]
    signed_in_at: Mapped[datetime]
    proved_at: Mapped[datetime | None]
    second_factor_at: Mapped[datetime | None]
    awaits_factor: Mapped[bool] = mapped_column(
        default=False, server_default=sa_false()
    )
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


class Passkey(db.Model):
    """A key that a device keeps for an account; only its public half is here.

    `user_handle` is what the device calls the account: random, the same for all of
    its passkeys.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    credential_id: Mapped[str] = mapped_column(unique=True)
    user_handle: Mapped[str]
    public_key: Mapped[str]
    sign_count: Mapped[int] = mapped_column(BigInteger)
    name: Mapped[str]
    made_at: Mapped[datetime]
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
