"""Read what is kept no longer."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import exists, select

from tradeboard.accounts.models import (
    Account,
    Device,
    DeviceName,
    DeviceUse,
    Handle,
    Hold,
    MailedToken,
    Passkey,
    RecoveryCode,
    Restriction,
    Session,
    StaffNote,
    Totp,
)
from tradeboard.accounts.rules.standing import Role
from tradeboard.core.db import db

UNCONFIRMED_FOR = timedelta(days=7)
DEVICES_KEPT = timedelta(days=400)


def forgettable_account_ids(
    now: datetime, *, only: int | None = None, limit: int = 500
) -> Sequence[int]:
    """Return accounts unconfirmed for 7 days that nothing else refers to."""
    found = select(Account.id).where(
        Account.email_confirmed_at.is_(None),
        Account.created_at <= now - UNCONFIRMED_FOR,
        Account.role == Role.MEMBER,
    )
    if only is not None:
        found = found.where(Account.id == only)
    decided = (Hold.decided_by_id, StaffNote.seen_by_id)
    for column in (*references_to(Account, but=OWN_TABLES), *decided):
        found = found.where(~exists().where(column == Account.id))
    return db.session.scalars(found.order_by(Account.id).limit(limit)).all()


def forgettable_device_ids(now: datetime, *, limit: int) -> Sequence[int]:
    """Return browsers unseen for 400 days that nothing open names."""
    found = select(Device.id).where(
        Device.last_seen <= now - DEVICES_KEPT,
        ~exists().where(Hold.device_id == Device.id, Hold.ended_at.is_(None)),
    )
    own = frozenset({"device_use", "device_name", "hold"})
    for column in references_to(Device, but=own):
        found = found.where(~exists().where(column == Device.id))
    return db.session.scalars(found.order_by(Device.id).limit(limit)).all()


OWN_TABLES = frozenset(
    model.__tablename__
    for model in (
        Handle,
        Restriction,
        DeviceName,
        DeviceUse,
        Hold,
        Session,
        Totp,
        RecoveryCode,
        MailedToken,
        Passkey,
        StaffNote,
    )
)


def references_to(model, *, but: frozenset[str]):
    """Return every column of any feature that points at a table of ours."""
    target = model.__table__
    return [
        key.parent
        for table in db.metadata.sorted_tables
        for key in table.foreign_keys
        if key.column.table is target and table.name not in but
    ]
