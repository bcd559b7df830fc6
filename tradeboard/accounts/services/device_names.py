"""What a person calls the own browsers; nobody else reads it."""

from tradeboard.accounts.models import Account, Device, DeviceName
from tradeboard.core.db import db
from tradeboard.core.errors import RuleBroken

LONGEST_NAME = 40


def name_device(device: Device, name: str, *, by: Account) -> None:
    """Call one of the own browsers something; an empty name takes it back."""
    name = name.strip()
    if len(name) > LONGEST_NAME:
        raise RuleBroken("%(n)s字までです。", field="name", n=LONGEST_NAME)
    kept = db.session.get(DeviceName, (by.id, device.id))
    if kept is None and name:
        kept = DeviceName(account_id=by.id, device_id=device.id, name=name)
        db.session.add(kept)
    elif kept is not None and name:
        kept.name = name
    elif kept is not None:
        db.session.delete(kept)
