"""What a key looks like, what it may do, and how often."""

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import Message, message
from tradeboard.core.records import dataclass


class Scope(StrEnum):
    """What a key opens beside single look-ups, which every key may do."""

    CHECK = "check"
    BULK = "bulk"
    FEED = "feed"


SCOPES: dict[Scope, Message] = {
    Scope.CHECK: message("1件ずつの照会"),
    Scope.BULK: message("まとめての照会"),
    Scope.FEED: message("変更の配信と全件の書き出し"),
}

PER_MINUTE = 3000
MOST_KEYS = 10
LONGEST_NAME = 60
LASTING = (90, 365)
NOTED_EVERY = timedelta(minutes=1)

_SHOWN = re.compile(r"tb_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True)
class ShownKey:
    """A key as its owner sees it, once: what finds it, and 256 secret bits."""

    key_id: str
    secret: str

    def __str__(self) -> str:
        return f"tb_{self.key_id}_{self.secret}"

    @property
    def secret_hash(self) -> str:
        """Return what is kept of the secret."""
        return hashlib.sha256(self.secret.encode()).hexdigest()


def read_key(text: str) -> ShownKey | None:
    """Return the key that somebody sent, or None if it has not its shape."""
    match = _SHOWN.fullmatch(text)
    return ShownKey(match[1], match[2]) if match else None


def read_scopes(names: Iterable[str]) -> list[Scope]:
    """Return the scopes in their order, or refuse unknown ones and none at all."""
    wanted = set(names)
    known = [scope for scope in Scope if scope in wanted]
    if not known or len(known) < len(wanted):
        raise RuleBroken("鍵でできることを選んでください。", field="scopes")
    return known


def check_name(name: str) -> str:
    """Return a key's name, or refuse an empty or a long one."""
    name = " ".join(name.split())
    if not name:
        raise RuleBroken("鍵の名前を入れてください。", field="name")
    if len(name) > LONGEST_NAME:
        raise RuleBroken("%(n)s字までです。", field="name", n=LONGEST_NAME)
    return name


def expires_at(days: int | None, now: datetime) -> datetime | None:
    """Return when a key ends that lasts so many days, None for one that does not."""
    return now + timedelta(days=days) if days is not None else None


def is_good(
    revoked_at: datetime | None, expires_at: datetime | None, now: datetime
) -> bool:
    """Tell whether a key opens anything."""
    return revoked_at is None and (expires_at is None or now < expires_at)
