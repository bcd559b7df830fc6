"""Links sent by mail: 256 bits, good once, bound to an address; hashes are stored."""

import hashlib
import secrets
from datetime import datetime, timedelta

from sqlalchemy import update

from tradeboard.accounts.models import Account, MailedToken
from tradeboard.core.db import changed, db
from tradeboard.core.errors import Conflict

GOOD_FOR = {
    "confirm": timedelta(hours=24),
    "reset": timedelta(minutes=30),
    "change": timedelta(hours=24),
}
NOT_GOOD = (
    "このリンクは、使い終わったか、新しいものに替わったか、期限が切れています。"
    "新しいリンクを送ってもらってください。"
)


def hash_token(token: str) -> str:
    """Return what is stored instead of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def issue(
    account: Account, purpose: str, *, email: str | None = None, now: datetime
) -> str:
    """Make a link's token; an older one for the same purpose is good no more.

    It is bound to the present address; `email` is the one that it will change to.
    """
    drop(account.id, purpose, now=now)
    token = secrets.token_urlsafe(32)
    db.session.add(
        MailedToken(
            token_hash=hash_token(token),
            purpose=purpose,
            account_id=account.id,
            email=email,
            email_wire=account.email_wire,
            made_at=now,
            expires_at=now + GOOD_FOR[purpose],
        )
    )
    return token


def drop(account_id: int, *purposes: str, now: datetime) -> None:
    """Make all unused tokens of a person void."""
    db.session.execute(
        update(MailedToken)
        .where(
            MailedToken.account_id == account_id,
            MailedToken.purpose.in_(purposes),
            MailedToken.used_at.is_(None),
        )
        .values(used_at=now)
    )


def read(token: str, purpose: str, *, now: datetime) -> Account:
    """Return whose link it is, or raise Conflict; reading uses nothing up."""
    row = db.session.get(MailedToken, hash_token(token))
    if row is None or row.purpose != purpose or row.used_at or row.expires_at <= now:
        raise Conflict(NOT_GOOD)
    return _owner(row)


def use(token: str, purpose: str, *, now: datetime) -> Account:
    """Use a link up and return whose it was; of two at once, one wins."""
    used = changed(
        update(MailedToken)
        .where(
            MailedToken.token_hash == hash_token(token),
            MailedToken.purpose == purpose,
            MailedToken.used_at.is_(None),
            MailedToken.expires_at > now,
        )
        .values(used_at=now)
    )
    if used != 1:
        raise Conflict(NOT_GOOD)
    row = db.session.get_one(MailedToken, hash_token(token), populate_existing=True)
    return _owner(row)


def new_address(token: str) -> str:
    """Return the address that a link changes to, as it was typed."""
    return db.session.get_one(MailedToken, hash_token(token)).email or ""


def _owner(row: MailedToken) -> Account:
    """Return the account, unless its address has changed since."""
    account = db.session.get(Account, row.account_id)
    if account is None or account.closed_at or account.email_wire != row.email_wire:
        raise Conflict(NOT_GOOD)
    return account
