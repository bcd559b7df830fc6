"""Know a browser again by its signed cookie, and note from where people write."""

import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Integer, bindparam, exists, insert, select, update
from sqlalchemy.exc import IntegrityError

from tradeboard.accounts.models import Account, Device, DeviceUse, Watch
from tradeboard.accounts.rules import devices as rules
from tradeboard.core import keyring, prepared
from tradeboard.core.db import UtcDateTime, db

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DEVICE, _WATCH = Device.__table__.c, Watch.__table__.c
_AGAIN = (
    update(Device.__table__)
    .where(
        _DEVICE.key == bindparam("of_key"),
        _DEVICE.kid == bindparam("of_kid"),
        _DEVICE.last_seen <= bindparam("now", type_=UtcDateTime),
    )
    .values(last_seen=bindparam("now", type_=UtcDateTime))
    .returning(
        _DEVICE.id,
        exists()
        .where(
            _WATCH.device_id == _DEVICE.id,
            _WATCH.account_id != bindparam("account_id", type_=Integer),
        )
        .correlate(Device.__table__)
        .label("is_watched"),
    )
)
_USED = insert(DeviceUse.__table__).inline()
_SEEN = _AGAIN.cte("seen")
# Both as one statement, as PostgreSQL knows it.
_AT_ONCE = (
    insert(DeviceUse.__table__)
    .from_select(
        ["account_id", "device_id", "used_at"],
        select(
            bindparam("account_id", type_=Integer),
            _SEEN.c.id,
            bindparam("now", type_=UtcDateTime),
        ).where(~_SEEN.c.is_watched),
    )
    .returning(DeviceUse.__table__.c.id)
)


@dataclass(frozen=True)
class Recognised:
    """A browser: its keyed hash, and the cookie to set if it needs a new one.

    `keys` are its hashes under every key in use, that of the current one first.
    """

    key: str
    kid: str
    cookie: str | None
    is_new: bool
    keys: tuple[str, ...]


def recognise(cookie: str | None, *, now: datetime) -> Recognised:
    """Read the cookie; a missing, forged or foreign one is a new browser."""
    today = (now - EPOCH).days
    known = rules.read_cookie(cookie, _sign_with) if cookie else None
    if known is None:
        return _recognised(secrets.token_bytes(rules.DEVICE_ID_BYTES), today, True)
    old_key = known.kid != keyring.ring().kid("device-cookie")
    if old_key or rules.needs_new_signature(known, today):
        return _recognised(known.device_id, today, False)
    return _seen(known.device_id, None, False)


def record_use(seen: Recognised, account: Account, *, now: datetime) -> Device:
    """Note that a person wrote from this browser; its row moves to the current key."""
    device = _find(seen) or _make(seen, now=now)
    device.key, device.kid = seen.key, seen.kid
    device.last_seen = max(device.last_seen, now)
    db.session.add(DeviceUse(account_id=account.id, device_id=device.id, used_at=now))
    return device


def use_again(seen: Recognised, account_id: int, *, now: datetime) -> bool:
    """Note the use of a browser that is known well and watched for nobody else.

    Return False, with no use noted, if `record_use` and all that hangs on it is wanted.
    """
    of = {"of_key": seen.key, "of_kid": seen.kid, "now": now, "account_id": account_id}
    if db.engine.dialect.name == "postgresql":
        return bool(prepared.in_session(_AT_ONCE, of))
    found = prepared.in_session(_AGAIN, of)
    if not found:
        return False
    ((device_id, is_watched),) = found
    if is_watched:
        return False
    used = {"account_id": account_id, "device_id": device_id, "used_at": now}
    prepared.in_session(_USED, used)
    return True


def _recognised(device_id: bytes, today: int, is_new: bool) -> Recognised:
    kid = keyring.ring().kid("device-cookie")
    sign = _sign_with(kid)
    if sign is None:
        raise keyring.KeyMissing("device-cookie")
    cookie = rules.build_cookie(device_id, today, kid, sign)
    return _seen(device_id, cookie, is_new)


def _sign_with(kid: str) -> rules.Sign | None:
    if not keyring.knows("device-cookie", kid):
        return None
    return lambda text: keyring.mac("device-cookie", text, kid)


def _seen(device_id: bytes, cookie: str | None, is_new: bool) -> Recognised:
    value = urlsafe_b64encode(device_id).decode()
    # Looked at anew, so that no two rows are made for a browser while a key is new.
    kids = keyring.ring(at_once=True).kids("device")
    keys = tuple(keyring.mac_hex("device", value, kid) for kid in kids)
    return Recognised(keys[0], kids[0], cookie, is_new, keys)


def _find(seen: Recognised) -> Device | None:
    """Return the row of a browser, the one under the current key before all."""
    found = db.session.scalars(select(Device).where(Device.key.in_(seen.keys))).all()
    return min(found, key=lambda device: seen.keys.index(device.key), default=None)


def _make(seen: Recognised, *, now: datetime) -> Device:
    """Add the browser; if it wrote twice at once, take the row of the other."""
    device = Device(
        key=seen.key,
        kid=seen.kid,
        code=_free_code(seen.key),
        first_seen=now,
        last_seen=now,
    )
    try:
        with db.session.begin_nested():
            db.session.add(device)
    except IntegrityError:
        other = _find(seen)
        if other is None:
            raise
        return other
    return device


def _free_code(key: str) -> str:
    """Return the public code; a counter goes in where two would be the same."""
    counter = 0
    while True:
        value = key if counter == 0 else f"{key}:{counter}"
        code = rules.code_from(keyring.mac("device-public", value))
        if not db.session.scalar(select(exists().where(Device.code == code))):
            return code
        counter += 1
