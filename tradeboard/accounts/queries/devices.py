"""Read browsers and who wrote from them."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import exists, func, select

from tradeboard.accounts.models import Account, Device, DeviceUse
from tradeboard.core.db import db


def devices_used(
    account_id: int, *, since: datetime, until: datetime
) -> Sequence[Device]:
    """Return the devices from which a person wrote in that time."""
    used = select(DeviceUse.device_id).where(
        DeviceUse.account_id == account_id,
        DeviceUse.used_at >= since,
        DeviceUse.used_at <= until,
    )
    return db.session.scalars(
        select(Device).where(Device.id.in_(used)).order_by(Device.id)
    ).all()


def devices_of(account_id: int) -> list[tuple[Device, datetime]]:
    """Return a person's devices with the moment of the last use, newest first."""
    last = func.max(DeviceUse.used_at).label("last")
    rows = db.session.execute(
        select(DeviceUse.device_id, last)
        .where(DeviceUse.account_id == account_id)
        .group_by(DeviceUse.device_id)
        .order_by(last.desc())
        .limit(100)
    ).all()
    found = db.session.scalars(
        select(Device).where(Device.id.in_([row.device_id for row in rows]))
    )
    by_id = {device.id: device for device in found}
    return [(by_id[row.device_id], row.last) for row in rows]


def accounts_of_device(device_id: int) -> Sequence[Account]:
    """Return who wrote from a device."""
    used = select(DeviceUse.account_id).where(DeviceUse.device_id == device_id)
    return db.session.scalars(
        select(Account).where(Account.id.in_(used)).order_by(Account.id).limit(100)
    ).all()


def has_used(account_id: int, device_keys: Sequence[str]) -> bool:
    """Tell whether a person wrote from this browser before, under any key in use."""
    used = exists().where(
        DeviceUse.account_id == account_id,
        DeviceUse.device_id == Device.id,
        Device.key.in_(device_keys),
    )
    return bool(db.session.scalar(select(used)))


def has_any_device(account_id: int) -> bool:
    """Tell whether a person wrote from any browser before."""
    return bool(
        db.session.scalar(select(exists().where(DeviceUse.account_id == account_id)))
    )
