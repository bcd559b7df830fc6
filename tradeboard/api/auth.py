"""Whose program asks: the key in `Authorization: Bearer`, and its quota."""

import hmac
import logging
import time
from datetime import datetime
from functools import partial

from flask import request
from sqlalchemy.exc import OperationalError

from tradeboard.accounts.rules.standing import Standing
from tradeboard.api import queries, rules, services
from tradeboard.api.queries import KnownKey
from tradeboard.api.rules import Scope
from tradeboard.core import clock, prepared
from tradeboard.core.errors import NotAllowed, Unproven
from tradeboard.core.records import dataclass
from tradeboard.core.transaction import transaction
from tradeboard.web import evenly, throttling

log = logging.getLogger(__name__)

RATE = f"{rules.PER_MINUTE} per 1 minute"
REFUSED = "300 per 1 minute"
CLOSED = frozenset({Standing.SUSPENDED, Standing.CLOSED})


@dataclass(frozen=True)
class Caller:
    """The key that a request came with."""

    key_id: str
    opens: frozenset[Scope]

    def spend(self, count: int = 1) -> None:
        """Count look-ups against the key's quota, or raise TooMany."""
        throttling.limit_each(self._rate(count))

    def asks(self, count: int = 1) -> prepared.Ask:
        """Return how to ask the database for so many look-ups, and count them."""
        return partial(throttling.limit_and_ask, self._rate(count))

    def _rate(self, count: int) -> throttling.Rate:
        return throttling.Rate("api-key", self.key_id, RATE, count)


def is_given() -> bool:
    """Tell whether the request names a key at all."""
    return "Authorization" in request.headers


def require(scope: Scope | None = None) -> Caller:
    """Return whose key this is, or refuse it; each request counts once."""
    caller = recognise(scope)
    caller.spend()
    return caller


def recognise(scope: Scope | None = None) -> Caller:
    """Return whose key this is, or refuse it; who is recognised counts the request."""
    now, began = clock.now(), time.monotonic()
    key = _find(request.headers.get("Authorization", ""))
    if key is None or not _is_good(key, now):
        throttling.limit("api-refused", throttling.network(), REFUSED)
        evenly.wait(began, evenly.OF_A_REFUSAL)
        raise Unproven(
            "有効な鍵が必要です。Authorization: Bearer に鍵を入れて送ってください。"
            "鍵はマイページで作れます。"
        )
    caller = Caller(key.key_id, key.opens)
    last = key.last_used_at
    if last is None or now - last >= rules.NOTED_EVERY:
        _note_use(caller, now)
    if scope is not None and scope not in caller.opens:
        caller.spend()
        raise NotAllowed(
            "この鍵では使えません。%(scope)s の使える鍵を作ってください。",
            scope=scope.value,
        )
    return caller


def _find(header: str) -> KnownKey | None:
    scheme, _, given = header.partition(" ")
    shown = rules.read_key(given.strip())
    if scheme.lower() != "bearer" or shown is None:
        return None
    key = queries.known_key(shown.key_id)
    # Compared also when there is no such key, so that both take as long.
    kept = key.secret_hash if key is not None else "0" * 64
    return key if hmac.compare_digest(kept, shown.secret_hash) else None


def _is_good(key: KnownKey, now: datetime) -> bool:
    """Tell whether it opens anything, and its owner may still use it."""
    if not rules.is_good(key.revoked_at, key.expires_at, now):
        return False
    if key.owner_id is None:
        return key.account_id is None
    return key.owner_closed_at is None and key.owner_standing not in CLOSED


def _note_use(caller: Caller, now: datetime) -> None:
    """Keep when it was used; whoever reads does not wait for a busy database."""
    try:
        with transaction():
            services.note_use(caller.key_id, now=now)
    except OperationalError as error:
        log.info("use of a key not noted: %s", type(error.orig).__name__)
