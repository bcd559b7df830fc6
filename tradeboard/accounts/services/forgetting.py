"""Forget what is kept no longer: accounts never confirmed, tokens, old sessions."""

from datetime import datetime, timedelta

from sqlalchemy import delete, exists, or_, select

from tradeboard.accounts import queries
from tradeboard.accounts.models import (
    Account,
    Device,
    DeviceName,
    DeviceUse,
    Handle,
    Hold,
    MailedToken,
    RecoveryCode,
    Restriction,
    Session,
    StaffNote,
    Totp,
)
from tradeboard.core.db import changed, db

TOKENS_KEPT = timedelta(days=30)
SESSIONS_KEPT = timedelta(days=90)
DEVICES_KEPT = timedelta(days=400)

_PARTS = (
    Session,
    DeviceUse,
    DeviceName,
    Restriction,
    Hold,
    StaffNote,
    Handle,
    Totp,
    RecoveryCode,
    MailedToken,
)


def forget_unconfirmed(account_id: int, *, now: datetime) -> None:
    """Delete an account that was never confirmed and that nothing refers to."""
    if not queries.forgettable_account_ids(now, only=account_id):
        return
    for part in _PARTS:
        db.session.execute(delete(part).where(part.account_id == account_id))
    db.session.execute(
        delete(Account).where(
            Account.id == account_id, Account.email_confirmed_at.is_(None)
        )
    )


def forget_tokens(*, now: datetime) -> int:
    """Delete mailed links that have been void for 30 days."""
    limit = now - TOKENS_KEPT
    void = or_(MailedToken.expires_at <= limit, MailedToken.used_at <= limit)
    return changed(delete(MailedToken).where(void))


def forget_sessions(*, now: datetime) -> int:
    """Delete sessions that ended 90 days ago, with their network and label."""
    limit = now - SESSIONS_KEPT
    over = or_(Session.expires_at <= limit, Session.revoked_at <= limit)
    return changed(delete(Session).where(over))


def forget_devices(*, now: datetime) -> int:
    """Delete browsers unseen for 400 days that no entry and no session names."""
    old = select(Device.id).where(Device.last_seen <= now - DEVICES_KEPT)
    for column in queries.references_to(Device, but=frozenset({"device_use"})):
        old = old.where(~exists().where(column == Device.id))
    gone = list(db.session.scalars(old.limit(500)))
    db.session.execute(delete(DeviceUse).where(DeviceUse.device_id.in_(gone)))
    return changed(delete(Device).where(Device.id.in_(gone)))
