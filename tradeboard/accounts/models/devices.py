"""Browsers, and who wrote from them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.accounts.models.people import Account
from tradeboard.core.db import db


class Device(db.Model):
    """A browser that wrote here; the cookie itself is kept nowhere."""

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    kid: Mapped[str]
    code: Mapped[str] = mapped_column(unique=True)
    first_seen: Mapped[datetime]
    last_seen: Mapped[datetime] = mapped_column(index=True)
    shared: Mapped[bool] = mapped_column(default=False)


class DeviceUse(db.Model):
    """An account wrote from a device at that moment."""

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    device_id: Mapped[int] = mapped_column(ForeignKey(Device.id))
    used_at: Mapped[datetime]

    __table_args__ = (
        Index(None, "account_id", "used_at"),
        Index(None, "device_id", "account_id", "used_at"),
    )


class DeviceName(db.Model):
    """What a person calls one of the own browsers; nobody else reads it."""

    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey(Device.id), primary_key=True)
    name: Mapped[str]
