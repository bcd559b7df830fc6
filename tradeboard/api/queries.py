"""Find keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import String, bindparam, func, or_, select
from sqlalchemy.orm import joinedload

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.api.models import ApiKey
from tradeboard.api.rules import Scope
from tradeboard.core import prepared
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound

MOST_SHOWN = 100


@dataclass(frozen=True)
class KnownKey:
    """What has to be known of a key before it opens anything."""

    key_id: str
    secret_hash: str
    scopes: str
    account_id: int | None
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    owner_id: int | None
    owner_closed_at: datetime | None
    owner_standing: Standing | None

    @property
    def opens(self) -> frozenset[Scope]:
        """Return what it opens."""
        return frozenset(scope for scope in Scope if scope in self.scopes.split())


# Asked with every look-up that has a key, hence put together once.
_KEY = (
    select(
        ApiKey.key_id,
        ApiKey.secret_hash,
        ApiKey.scopes,
        ApiKey.account_id,
        ApiKey.expires_at,
        ApiKey.last_used_at,
        ApiKey.revoked_at,
        Account.id,
        Account.closed_at,
        Account.standing,
    )
    .outerjoin(Account, Account.id == ApiKey.account_id)
    .where(ApiKey.key_id == bindparam("key_id", type_=String))
)


def find_key(key_id: str) -> ApiKey | None:
    """Return a key, good or not."""
    return db.session.scalar(select(ApiKey).where(ApiKey.key_id == key_id))


def known_key(key_id: str) -> KnownKey | None:
    """Return what is known of a key and its owner, good or not."""
    rows = prepared.on_primary(_KEY, {"key_id": key_id})
    return KnownKey(*rows[0]) if rows else None


def keys_of(account_id: int) -> Sequence[ApiKey]:
    """Return a person's keys, the newest first; revoked ones too."""
    own = select(ApiKey).where(ApiKey.account_id == account_id)
    newest = own.order_by(ApiKey.id.desc()).limit(MOST_SHOWN)
    return db.session.scalars(newest).all()


def get_key_of(account_id: int, id: int) -> ApiKey:
    """Return a person's own key, or raise NotFound."""
    own = select(ApiKey).where(ApiKey.id == id, ApiKey.account_id == account_id)
    key = db.session.scalar(own)
    if key is None:
        raise NotFound("その鍵はありません。")
    return key


def all_keys() -> Sequence[ApiKey]:
    """Return every key with its owner, the newest first."""
    every = select(ApiKey).options(joinedload(ApiKey.account))
    return db.session.scalars(every.order_by(ApiKey.id.desc())).all()


def live_count(account_id: int, *, now: datetime) -> int:
    """Count a person's keys that still open something."""
    live = select(func.count(ApiKey.id)).where(
        ApiKey.account_id == account_id,
        ApiKey.revoked_at.is_(None),
        or_(ApiKey.expires_at.is_(None), ApiKey.expires_at > now),
    )
    return db.session.scalar(live) or 0
