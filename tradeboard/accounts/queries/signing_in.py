"""Read sessions, second factors, passkeys and mailed links."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from sqlalchemy import String, bindparam, exists, func, select

from tradeboard.accounts.models import (
    Account,
    MailedToken,
    Passkey,
    RecoveryCode,
    Session,
    Totp,
)
from tradeboard.accounts.rules import permissions
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.core import prepared
from tradeboard.core.db import UtcDateTime, db

# Asked on every page, hence put together once.
_IS_GOOD = (
    Session.token_hash == bindparam("token_hash", type_=String),
    Session.revoked_at.is_(None),
    Session.expires_at > bindparam("now", type_=UtcDateTime),
    Session.ends_at > bindparam("now", type_=UtcDateTime),
)
_GOOD = select(Session).where(*_IS_GOOD)
_READER = (
    select(
        Account.id,
        Account.role,
        Account.standing,
        Account.language,
        Account.time_zone,
        Session.token_hash,
        Session.last_seen_at,
        Session.second_factor_at,
        Session.awaits_factor,
    )
    .join_from(Session, Account, Account.id == Session.account_id)
    .where(*_IS_GOOD, Account.closed_at.is_(None))
)


@dataclass(frozen=True, eq=False)
class Reader:
    """Somebody who is signed in and only looks around: what such pages need to know."""

    is_authenticated: ClassVar = True
    is_active: ClassVar = True
    is_anonymous: ClassVar = False
    id: int
    role: Role
    standing: Standing
    language: str
    time_zone: str
    token_hash: str
    last_seen_at: datetime
    second_factor_at: datetime | None
    awaits_factor: bool

    @property
    def is_staff(self) -> bool:
        """Tell whether this person moderates; what is permitted, `may` tells."""
        return self.role in permissions.STAFF

    def may(self, act: Act | str) -> bool:
        """Tell whether role and standing permit an act (`rules.permissions`)."""
        return permissions.may(self.role, act, self.standing)


def find_reader(token_hash: str, *, now: datetime) -> Reader | None:
    """Return who reads with the session of a cookie, if it is still good."""
    gaps = {"token_hash": token_hash, "now": now}
    rows = prepared.on_primary(_READER, gaps)
    return Reader(*rows[0]) if rows else None


def find_session(token_hash: str, *, now: datetime) -> Session | None:
    """Return the session of a cookie, if it is still good."""
    return db.session.scalar(_GOOD, {"token_hash": token_hash, "now": now})


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


def has_totp(account_id: int) -> bool:
    """Tell whether a person has finished setting up an app for codes."""
    is_set = exists().where(
        Totp.account_id == account_id, Totp.confirmed_at.is_not(None)
    )
    return bool(db.session.scalar(select(is_set)))


def passkeys_of(account_id: int) -> Sequence[Passkey]:
    """Return the passkeys of a person, oldest first."""
    return db.session.scalars(
        select(Passkey)
        .where(Passkey.account_id == account_id)
        .order_by(Passkey.id)
        .limit(100)
    ).all()


def find_passkey(credential_id: str) -> Passkey | None:
    """Return the passkey that a device names, or None."""
    return db.session.scalar(
        select(Passkey).where(Passkey.credential_id == credential_id)
    )


def unused_recovery_codes(account_id: int) -> list[str]:
    """Return what is kept of the recovery codes that have not been used."""
    asked = select(RecoveryCode.code_hash).where(
        RecoveryCode.account_id == account_id, RecoveryCode.used_at.is_(None)
    )
    return list(db.session.scalars(asked.order_by(RecoveryCode.id)))


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
