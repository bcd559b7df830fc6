"""Find keys."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, or_, select
from sqlalchemy.orm import joinedload

from tradeboard.api.models import ApiKey
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound

MOST_SHOWN = 100


def find_key(key_id: str) -> ApiKey | None:
    """Return a key with its owner, good or not."""
    found = select(ApiKey).where(ApiKey.key_id == key_id)
    return db.session.scalar(found.options(joinedload(ApiKey.account)))


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
