"""Ask before something is done too often; every worker sees the same counts.

Call these before `transaction()`, never inside of it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Any

from flask import Flask, current_app, request
from limits import RateLimitItem, parse
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter
from sqlalchemy import Select

from tradeboard.core import clock, doing, prepared, shared_counts, throttle
from tradeboard.core.counts import Count
from tradeboard.core.db import from_replica
from tradeboard.core.errors import TooMany
from tradeboard.core.messages import Message, message

EXTENSION = "tradeboard-limiter"

OWN_PASSWORD = "10 per 15 minutes"
SINGLE = {4: 32, 6: 64}
WIDE = {4: 24, 6: 56}


def init_app(app: Flask) -> None:
    """Count in the table, or in Redis if there is one."""
    counts: Storage = throttle.DatabaseStorage()
    if app.config["THROTTLE_URL"]:
        counts = shared_counts.SharedStorage(app.config["THROTTLE_URL"], counts)
    app.extensions[EXTENSION] = FixedWindowRateLimiter(counts)


@dataclass(frozen=True)
class Rate:
    """How often something may be done by a key; `rate` reads `10 per 15 minutes`."""

    name: str
    key: str
    rate: str
    cost: int = 1
    text: Message | None = None


def limit(
    name: str, key: str, rate: str, *, cost: int = 1, text: Message | None = None
) -> None:
    """Count for `key`, once or `cost` times; raise TooMany when `rate` is used up."""
    limit_each(Rate(name, key, rate, cost, text))


def limit_each(*rates: Rate) -> None:
    """Count for several rates in one statement; the first that is used up refuses.

    What stands behind that one is not counted.
    """
    storage: Any = _limiter().storage
    _require(rates, storage.count_each([_count(rate) for rate in rates]))


def limit_and_ask(
    rate: Rate, statement: Select, values: Mapping[str, Any]
) -> prepared.Rows:
    """Count, and ask beside it in one trip if the table counts; or raise TooMany."""
    is_elsewhere = from_replica.get() or not isinstance(
        _limiter().storage, throttle.DatabaseStorage
    )
    if is_elsewhere:
        limit_each(rate)
        return prepared.alone(statement, values)
    found, rows = throttle.count_each([_count(rate)], statement, values)
    _require((rate,), found)
    return rows


def limit_own_password(account_id: int) -> None:
    """Count a try of somebody who is signed in, on whichever page; or raise TooMany."""
    limit("password", str(account_id), OWN_PASSWORD)


def check(name: str, key: str, rate: str, *, text: Message | None = None) -> None:
    """Raise TooMany when `rate` is used up; count nothing."""
    if not _limiter().test(_item(rate), name, _hashed(key)):
        refuse(name, key, rate, text=text)


def count(name: str, key: str, rate: str) -> int:
    """Count once for `key` and return how often is left, at least 0."""
    storage: Any = _limiter().storage
    one = _count(Rate(name, key, rate))
    return max(0, one.most - storage.count_each([one])[0])


def left(name: str, key: str, rate: str) -> int:
    """Return how often `rate` still permits it."""
    item = _item(rate)
    used = _limiter().storage.get(item.key_for(name, _hashed(key)))
    return max(0, item.amount - used)


def forget(name: str, key: str, rate: str) -> None:
    """Start the count of `key` anew: it went well."""
    _limiter().clear(_item(rate), name, _hashed(key))


def refuse(name: str, key: str, rate: str, *, text: Message | None = None) -> None:
    """Raise TooMany with the moment from which on it is possible again."""
    doing.throttled(name)
    retry_at = _starts_anew(_item(rate), name, key)
    seconds = (retry_at - clock.now()).total_seconds()
    minutes = max(1, -int(-seconds // 60))
    default = message(
        "短い時間に回数が多すぎます。%(minutes)s分後にもう一度お試しください。",
        minutes=minutes,
    )
    raise TooMany(text or default, retry_at=retry_at)


def network(address: str | None = None) -> str:
    """Return the network of one line: IPv4 /32, IPv6 /64."""
    return _network(address or request.remote_addr or "", False)


def wide_network(address: str | None = None) -> str:
    """Return the network around it: IPv4 /24, IPv6 /56."""
    return _network(address or request.remote_addr or "", True)


@lru_cache(maxsize=4096)
def _network(address: str, is_wide: bool) -> str:
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return "unknown"
    ip = getattr(ip, "ipv4_mapped", None) or ip
    sizes = WIDE if is_wide else SINGLE
    return str(ip_network((ip, sizes[ip.version]), strict=False))


def _limiter() -> FixedWindowRateLimiter:
    return current_app.extensions[EXTENSION]


def _item(rate: str) -> RateLimitItem:
    return _parsed(rate, current_app.config["LIMIT_FACTOR"])


@lru_cache(maxsize=256)
def _parsed(rate: str, factor: int) -> RateLimitItem:
    item = parse(rate)
    return type(item)(item.amount * factor, item.multiples, item.namespace)


def _count(rate: Rate) -> Count:
    item = _item(rate.rate)
    key = item.key_for(rate.name, _hashed(rate.key))
    return Count(key, rate.cost, item.get_expiry(), item.amount)


def _require(rates: Sequence[Rate], found: Sequence[int]) -> None:
    """Raise TooMany if the last that was counted is over its rate."""
    last = rates[len(found) - 1]
    if found[-1] > _item(last.rate).amount:
        refuse(last.name, last.key, last.rate, text=last.text)


def _starts_anew(item: RateLimitItem, name: str, key: str) -> datetime:
    counts = _limiter().storage
    return throttle.moment(counts.get_expiry(item.key_for(name, _hashed(key))))


def _hashed(key: str) -> str:
    """Keep no address and no name in the table of counts."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]
