"""Ask before something is done too often; every worker sees the same counts.

Call these before `transaction()`, never inside of it.
"""

import hashlib
from datetime import datetime
from ipaddress import ip_address, ip_network

from flask import request
from limits import RateLimitItem, parse
from limits.strategies import FixedWindowRateLimiter

from tradeboard.core import clock, throttle
from tradeboard.core.errors import TooMany
from tradeboard.core.messages import Message, message

limiter = FixedWindowRateLimiter(throttle.DatabaseStorage())

OWN_PASSWORD = "10 per 15 minutes"
SINGLE = {4: 32, 6: 64}
WIDE = {4: 24, 6: 56}


def limit(
    name: str, key: str, rate: str, *, cost: int = 1, text: Message | None = None
) -> None:
    """Count for `key`, once or `cost` times; raise TooMany when `rate` is used up.

    `rate` reads `10 per 15 minutes`.
    """
    if not limiter.hit(parse(rate), name, _hashed(key), cost=cost):
        refuse(name, key, rate, text=text)


def limit_own_password(account_id: int) -> None:
    """Count a try of somebody who is signed in, on whichever page; or raise TooMany."""
    limit("password", str(account_id), OWN_PASSWORD)


def check(name: str, key: str, rate: str, *, text: Message | None = None) -> None:
    """Raise TooMany when `rate` is used up; count nothing."""
    if not limiter.test(parse(rate), name, _hashed(key)):
        refuse(name, key, rate, text=text)


def count(name: str, key: str, rate: str) -> int:
    """Count once for `key` and return how often is left, at least 0."""
    item = parse(rate)
    limiter.hit(item, name, _hashed(key))
    return left(name, key, rate)


def left(name: str, key: str, rate: str) -> int:
    """Return how often `rate` still permits it."""
    return max(0, limiter.get_window_stats(parse(rate), name, _hashed(key)).remaining)


def forget(name: str, key: str, rate: str) -> None:
    """Start the count of `key` anew: it went well."""
    limiter.clear(parse(rate), name, _hashed(key))


def refuse(name: str, key: str, rate: str, *, text: Message | None = None) -> None:
    """Raise TooMany with the moment from which on it is possible again."""
    retry_at = _starts_anew(parse(rate), name, key)
    seconds = (retry_at - clock.now()).total_seconds()
    minutes = max(1, -int(-seconds // 60))
    default = message(
        "短い時間に回数が多すぎます。%(minutes)s分後にもう一度お試しください。",
        minutes=minutes,
    )
    raise TooMany(text or default, retry_at=retry_at)


def network(address: str | None = None) -> str:
    """Return the network of one line: IPv4 /32, IPv6 /64."""
    return _network(address, SINGLE)


def wide_network(address: str | None = None) -> str:
    """Return the network around it: IPv4 /24, IPv6 /56."""
    return _network(address, WIDE)


def _network(address: str | None, sizes: dict[int, int]) -> str:
    typed = address or request.remote_addr or ""
    try:
        ip = ip_address(typed.partition("%")[0])
    except ValueError:
        return "unknown"
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return str(ip_network((ip, sizes[ip.version]), strict=False))


def _starts_anew(item: RateLimitItem, name: str, key: str) -> datetime:
    stats = limiter.get_window_stats(item, name, _hashed(key))
    return throttle.moment(stats.reset_time)


def _hashed(key: str) -> str:
    """Keep no address and no name in the table of counts."""
    return hashlib.sha256(key.encode()).hexdigest()[:32]
