"""Find people by what moderators know of them."""

from collections.abc import Sequence

from sqlalchemy import select

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account, Device, DeviceUse
from tradeboard.accounts.rules import devices
from tradeboard.core.db import db

MOST = 50


def find_people(typed: str) -> Sequence[Account]:
    """Return whom a handle, a whole address or a device code leads to."""
    if "@" in typed:
        found = accounts.find_confirmed(typed) or accounts.find_unconfirmed(typed)
        return [found] if found is not None else []
    by_name = accounts.find_by_handle(typed)
    if by_name is not None:
        return [by_name]
    code = devices.parse_code(typed)
    return _users_of(code) if code else []


def _users_of(code: str) -> Sequence[Account]:
    used = (
        select(DeviceUse.account_id)
        .join(Device, Device.id == DeviceUse.device_id)
        .where(Device.code == code)
    )
    return db.session.scalars(
        select(Account).where(Account.id.in_(used)).order_by(Account.id).limit(MOST)
    ).all()
