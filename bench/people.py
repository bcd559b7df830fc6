"""People of a world: accounts, names, browsers, and what they agreed to."""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

from sqlalchemy import Integer, cast, literal

from bench.bulk import Bulk
from bench.words import split
from bench.world import DAY_S, World
from tradeboard.accounts import passwords
from tradeboard.accounts.models import Account, Device, DeviceUse, Handle
from tradeboard.accounts.rules import devices, email, handles
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services.devices import EPOCH
from tradeboard.accounts.tokens import hash_token
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.terms.models import Agreement

NAMES = split(
    "そら たかし ゆうき はるか みなと あおい kotori hayate sora midori kaede ren "
    "tsubasa yuzu momiji サクラ カナタ ヒビキ 山猫 北風 青磁 石橋 白木 浜風"
)
JOINED = timedelta(days=400)
TABLES = db.metadata.tables


@dataclass(frozen=True)
class Person:
    """One member, told by the number alone."""

    id: int

    @cached_property
    def handle(self) -> str:
        """Return the name."""
        return f"{NAMES[self.id % len(NAMES)]}{self.id:05}"

    @property
    def address(self) -> str:
        """Return the address of the mailbox."""
        return f"member{self.id}@example.com"

    @property
    def phone(self) -> str:
        """Return the number that is sealed in trades."""
        return f"+8190{10_000_000 + self.id}"

    @property
    def device_id(self) -> bytes:
        """Return the secret half of the browser."""
        return hashlib.sha256(f"browser {self.id}".encode()).digest()[:16]

    @property
    def token(self) -> str:
        """Return what the cookie of the session holds."""
        return hashlib.sha256(f"session {self.id}".encode()).hexdigest()[:43]


class Keys:
    """Keyed hashes as the services make them, with the keys looked up once."""

    def __init__(self) -> None:
        ring = keyring.ring()
        self.kid = {name: ring.kid(name) for name in ("email", "device", "phone")}

    def email(self, address: str) -> str:
        """Return the hash that tells whether two mailboxes are one."""
        return keyring.mac_hex("email", email.mailbox_of(address) or "")

    def phone(self, number: str) -> str:
        """Return the hash of a number."""
        return keyring.mac_hex("phone", number)

    def device(self, device_id: bytes) -> tuple[str, str]:
        """Return the hash of a browser and its public code."""
        value = urlsafe_b64encode(device_id).decode()
        key = keyring.mac_hex("device", value)
        return key, devices.code_from(keyring.mac("device-public", key))


def fill(bulk: Bulk, world: World, numbers) -> None:
    """Write everybody, with one browser each and ten uses of it."""
    write(bulk, world, range(1, world.accounts + 1))
    number = numbers.c.n
    person = number % literal(world.accounts, Integer) + 1
    since = cast(world.at.timestamp(), Integer) - 20 * DAY_S
    bulk.select(
        TABLES[DeviceUse.__tablename__],
        {
            "account_id": person,
            "device_id": person,
            "used_at": bulk.moment(since + number * 977 % (20 * DAY_S)),
        },
        numbers,
    )


def write(bulk: Bulk, world: World, ids: range) -> None:
    """Write some people; what is on the list is `bench.listed`'s."""
    people, keys = [Person(one) for one in ids], Keys()
    secret = passwords.hash_password("a password that nobody uses")
    joined = world.at - JOINED
    tables = [TABLES[m.__tablename__] for m in (Account, Handle, Agreement, Device)]
    made = (
        (_account(one, keys, secret, world, joined) for one in people),
        (_handle(one, joined) for one in people),
        (_agreement(one, joined) for one in people),
        (_device(one, keys, world) for one in people),
    )
    for table, rows in zip(tables, made, strict=True):
        bulk.rows(table, rows)


def _account(one: Person, keys: Keys, secret: str, world: World, joined) -> dict:
    listed = one.id <= world.accounts and world.is_listed(one.id)
    return {
        "id": one.id,
        "handle": one.handle,
        "email": one.address,
        "email_wire": one.address,
        "email_login": one.address,
        "email_key": keys.email(one.address),
        "email_kid": keys.kid["email"],
        "email_rules": email.RULES_VERSION,
        "email_confirmed_at": joined,
        "password_hash": secret,
        "standing": Standing.LISTED if listed else Standing.GOOD,
        "prefecture": "13",
        "created_at": joined,
        "ended_count": 2 if listed else 0,
        "late_count": 2 if listed else 0,
    }


def _handle(one: Person, joined: datetime) -> dict:
    return {
        "id": one.id,
        "account_id": one.id,
        "shown": one.handle,
        "skeleton": handles.skeleton(one.handle),
        "since": joined,
    }


def _agreement(one: Person, joined: datetime) -> dict:
    return {"id": one.id, "account_id": one.id, "number": 1, "agreed_at": joined}


def _device(one: Person, keys: Keys, world: World) -> dict:
    key, code = keys.device(one.device_id)
    return {
        "id": one.id,
        "key": key,
        "kid": keys.kid["device"],
        "code": code,
        "first_seen": world.at - JOINED,
        "last_seen": world.at,
    }


def sessions(people: list[Person], now: datetime) -> Iterator[dict]:
    """Sign people in, as if they had come a moment ago."""
    for one in people:
        yield {
            "token_hash": hash_token(one.token),
            "account_id": one.id,
            "device_id": one.id,
            "created_at": now,
            "last_seen_at": now,
            "expires_at": now + timedelta(days=14),
            "ends_at": now + timedelta(days=60),
            "signed_in_at": now,
            "label": "Linux",
            "network": "127.0.0.0/24",
        }


def device_cookie(one: Person, now: datetime) -> str:
    """Return the cookie by which a person's browser is known again."""
    kid = keyring.ring().kid("device-cookie")
    return devices.build_cookie(
        one.device_id,
        (now.astimezone(UTC) - EPOCH).days,
        kid,
        lambda text: keyring.mac("device-cookie", text, kid),
    )
