"""Make and revoke keys."""

import secrets
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import select

from tradeboard.accounts.models import Account
from tradeboard.accounts.services import standing
from tradeboard.api import queries, rules
from tradeboard.api.models import ApiKey
from tradeboard.audit.services import record as audit
from tradeboard.core.db import db
from tradeboard.core.errors import RuleBroken


def make(
    name: str,
    scopes: Iterable[str],
    *,
    days: int | None = None,
    by: Account | None,
    now: datetime,
) -> tuple[ApiKey, str]:
    """Make a key and return it with what is shown once; `by` None is the operator."""
    name, opens = rules.check_name(name), rules.read_scopes(scopes)
    if by is not None:
        standing.gate(by)
        _require_room(by, now)
    shown = rules.ShownKey(secrets.token_hex(8), secrets.token_urlsafe(32))
    key = ApiKey(
        account_id=by.id if by is not None else None,
        name=name,
        key_id=shown.key_id,
        secret_hash=shown.secret_hash,
        scopes=" ".join(opens),
        made_at=now,
        expires_at=rules.expires_at(days, now),
    )
    db.session.add(key)
    db.session.flush()
    _write_down("make api key", key, by, now, scopes=key.scopes)
    return key, str(shown)


def revoke(key: ApiKey, *, by: Account | None, now: datetime) -> None:
    """Let a key open nothing any more."""
    if key.revoked_at is not None:
        return
    key.revoked_at = now
    _write_down("revoke api key", key, by, now)


def note_use(key_id: str, *, now: datetime) -> None:
    """Note when a key was used last."""
    key = queries.find_key(key_id)
    if key is not None:
        key.last_used_at = now


def _require_room(by: Account, now: datetime) -> None:
    """Refuse one key too many; two at once wait for each other."""
    db.session.execute(select(Account.id).where(Account.id == by.id).with_for_update())
    if queries.live_count(by.id, now=now) >= rules.MOST_KEYS:
        raise RuleBroken(
            "鍵は%(n)s個までです。使っていない鍵を無効にすると、新しく作れます。",
            n=rules.MOST_KEYS,
        )


def _write_down(
    action: str, key: ApiKey, by: Account | None, now: datetime, **codes: str
) -> None:
    by_id = by.id if by is not None else None
    audit(action, f"api-key:{key.id}", by_id=by_id, now=now, **codes)
