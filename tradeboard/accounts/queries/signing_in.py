"""Read sessions, second factors and mailed links."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select

from tradeboard.accounts.models import MailedToken, RecoveryCode, Session, Totp
from tradeboard.core.db import db


def find_session(token_hash: str, *, now: datetime) -> Session | None:
    """Return the session of a cookie, if it is still good."""
    return db.session.scalar(
        select(Session).where(
            Session.token_hash == token_hash,
            Session.revoked_at.is_(None),
            Session.expires_at > now,
            Session.ends_at > now,
        )
    )


def sessions_of(account_id: int, *, now: datetime) -> Sequence[Session]:
    """Return where a person is signed in, newest first."""
    return db.session.scalars(
        select(Session)
        .where(
            Session.account_id == account_id,
            Session.revoked_at.is_(None),
            Session.expires_at > now,
            Session.ends_at > now,
        )
        .order_by(Session.last_seen_at.desc(), Session.token_hash)
        .limit(100)
    ).all()


def find_totp(account_id: int) -> Totp | None:
    """Return the second factor of a person, set up or begun, or None."""
    return db.session.get(Totp, account_id)


def recovery_codes_left(account_id: int) -> int:
    """Return how many recovery codes have not been used."""
    unused = select(func.count()).where(
        RecoveryCode.account_id == account_id, RecoveryCode.used_at.is_(None)
    )
    return db.session.scalar(unused) or 0


def newest_token_at(account_id: int, purpose: str) -> datetime | None:
    """Return when a link for this purpose was last made."""
    return db.session.scalar(
        select(func.max(MailedToken.made_at)).where(
            MailedToken.account_id == account_id, MailedToken.purpose == purpose
        )
    )
