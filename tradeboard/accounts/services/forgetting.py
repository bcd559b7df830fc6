"""Forget what is kept no longer: accounts never confirmed, tokens, old sessions."""

from datetime import datetime, timedelta

from sqlalchemy import delete, or_, select, update

from tradeboard.accounts import queries
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
from tradeboard.core.db import changed, db

TOKENS_KEPT = timedelta(days=30)
SESSIONS_KEPT = timedelta(days=90)

_PARTS = (
    Session,
    DeviceUse,
    DeviceName,
    Restriction,
    Handle,
    Totp,
    RecoveryCode,
    MailedToken,
    Passkey,
)


def forget_unconfirmed(account_id: int, *, now: datetime) -> None:
    """Delete an account that was never confirmed and that nothing refers to."""
    # Locked first, links before the account as in confirming, which has to wait.
    links = select(MailedToken.token_hash).where(MailedToken.account_id == account_id)
    account = select(Account.id).where(Account.id == account_id)
    for rows in (links, account):
        db.session.execute(rows.with_for_update()).all()
    if not queries.forgettable_account_ids(now, only=account_id):
        return
    for part in _PARTS:
        db.session.execute(delete(part).where(part.account_id == account_id))
    for pair in (Hold, StaffNote):
        either = or_(pair.account_id == account_id, pair.other_id == account_id)
        db.session.execute(delete(pair).where(either))
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
    """Delete browsers unseen for 400 days that nothing open names.

    An entry, a watch, a session and a hold that lasts keep them; their names and the
    pairs that were once found by them do not.
    """
    gone = list(queries.forgettable_device_ids(now, limit=500))
    for part in (DeviceUse, DeviceName):
        db.session.execute(delete(part).where(part.device_id.in_(gone)))
    changed(update(Hold).where(Hold.device_id.in_(gone)).values(device_id=None))
    return changed(delete(Device).where(Device.id.in_(gone)))
