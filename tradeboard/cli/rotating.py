"""Put a new key in the place of an old one, and drop what nothing names any more.

A rotation may be interrupted anywhere and is taken up again by running it again: as
long as an older key is there, the newest one goes on.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import text

from tradeboard.accounts.queries import keys as accounts
from tradeboard.accounts.rules.devices import COOKIE_MAX_AGE
from tradeboard.accounts.services import rekeying as mailboxes
from tradeboard.accounts.services import resealing as second_factors
from tradeboard.audit.services import record as audit
from tradeboard.blacklist.queries import keys as blacklist
from tradeboard.core import keyfile, keyring
from tradeboard.core.batches import Batch
from tradeboard.core.db import db
from tradeboard.core.keyring import Keyring, number_of
from tradeboard.core.records import dataclass
from tradeboard.core.transaction import transaction
from tradeboard.trades.queries import keys as trades
from tradeboard.trades.services import rekeying as numbers

# A key that was made just now is new enough: a command given twice makes one.
YOUNG = timedelta(days=1)
# After that long no transaction is open any more that knew only the older key.
LONGEST_TRANSACTION = timedelta(minutes=1)
WAIT_S = 2 * keyring.LOOK_EVERY
LOOKS = 100
BETWEEN_LOOKS_S = 0.2

Move = Callable[[datetime], int]

OPEN_BEFORE = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
    "AND pid <> pg_backend_pid() AND xact_start < :moment"
)


@dataclass(frozen=True)
class Plan:
    """How one purpose comes under a new key.

    `move` brings rows along, `begin` prepares them before the key is made. A replaced
    key stays for `kept` after it was replaced, and while a row names it.
    """

    move: Move | None = None
    begin: Callable[[str], int] | None = None
    kept: timedelta | None = None


@dataclass(frozen=True)
class Rotated:
    """What became of one purpose: `left` rows still name an older key."""

    purpose: str
    kid: str
    was: str | None
    moved: int
    left: int
    dropped: list[str]


def rows_by_key(purpose: str) -> Counter[str] | None:
    """Return how many rows name each key, or None where no row ever names one."""
    if purpose not in NAMED_BY_ROWS:
        return None
    counts: Counter[str] = Counter()
    for feature in (accounts, trades, blacklist):
        counts.update(feature.rows_by_key(purpose))
    return counts


def rotate(
    purposes: tuple[str, ...], *, path: Path, again: bool, now: datetime
) -> Iterator[Rotated]:
    """Rotate some purposes; what is done for one is kept if another fails."""
    with keyfile.one_rotation(path):
        replaced = {purpose: _begin(purpose, path, again, now) for purpose in purposes}
        settled = _wait_for_others(purposes, now)
        for purpose in purposes:
            yield _go_on(purpose, replaced[purpose], path, settled, now)


def _begin(purpose: str, path: Path, again: bool, now: datetime) -> str | None:
    """Make a new key unless the newest one goes on; return which one came before."""
    ring = keyring.ring(at_once=True)
    in_use, *older = ring.kids(purpose)
    if not again and (older or _is_young(ring, purpose, now)):
        return older[0] if older else None
    plan = PLANS[purpose]
    if plan.begin is not None:
        with transaction():
            plan.begin(in_use)
    kid = keyfile.add(path, purpose, now=now)
    keyring.ring(at_once=True)
    with transaction():
        audit("make key", f"key:{purpose}", by_id=None, now=now, kid=kid)
    return in_use


def _is_young(ring: Keyring, purpose: str, now: datetime) -> bool:
    """Tell whether the key in use came of a rotation a short while ago."""
    kid = ring.kid(purpose)
    since = ring.since.get(purpose, {}).get(kid)
    return number_of(kid) > 1 and since is not None and now - since < YOUNG


def _wait_for_others(purposes: tuple[str, ...], now: datetime) -> bool:
    """Wait until no process makes values with the older keys; tell whether it is so."""
    ring = keyring.ring(at_once=True)
    replaced = [
        ring.replaced_at(purpose, kid)
        for purpose in purposes
        for kid in ring.kids(purpose)[1:]
    ]
    lately = [at for at in replaced if at and now - at < LONGEST_TRANSACTION]
    if not lately:
        return True
    time.sleep(WAIT_S)
    return db.engine.dialect.name == "sqlite" or _are_past()


def _are_past() -> bool:
    """Wait until what others began before now has ended; on SQLite the lock does."""
    moment = db.session.scalar(text("SELECT clock_timestamp()"))
    for _ in range(LOOKS):
        db.session.rollback()
        if not db.session.scalar(OPEN_BEFORE, {"moment": moment}):
            return True
        time.sleep(BETWEEN_LOOKS_S)
    return False


def _go_on(
    purpose: str, was: str | None, path: Path, settled: bool, now: datetime
) -> Rotated:
    move = PLANS[purpose].move
    moved = move(now) if move is not None else 0
    # Counted as a writer, so that nobody writes on SQLite until the key is gone.
    with transaction():
        ring = keyring.ring(at_once=True)
        counts = rows_by_key(purpose) or Counter()
        kid, *older = ring.kids(purpose)
        dropped = [
            old
            for old in older
            if settled and not counts[old] and _is_over(ring, purpose, old, now)
        ]
        for old in dropped:
            keyfile.drop(path, purpose, old)
            audit("drop key", f"key:{purpose}", by_id=None, now=now, kid=old)
    keyring.ring(at_once=True)
    left = counts.total() - counts[kid]
    return Rotated(purpose, kid, was, moved, left, dropped)


def _is_over(ring: Keyring, purpose: str, kid: str, now: datetime) -> bool:
    """Tell whether what carries this key outside the database is good no more."""
    kept = PLANS[purpose].kept
    if kept is None:
        return True
    replaced_at = ring.replaced_at(purpose, kid)
    return replaced_at is not None and now - replaced_at >= kept


def _move_mailboxes(now: datetime) -> int:
    """Move all in one transaction: a mailbox is unique only under one key."""
    with transaction():
        to_move = accounts.mailboxes_to_move(keyring.ring().kid("email"))
        if to_move:
            mailboxes.rekey_all(now=now)
    return to_move


def _in_batches(step: Callable[..., Batch | None]) -> Move:
    """Repeat a step from row to row, each in a short transaction of its own."""

    def move(_now: datetime) -> int:
        moved, last = 0, 0
        while True:
            with transaction():
                batch = step(after=last)
            if batch is None:
                return moved
            moved, last = moved + batch.moved, batch.last_id

    return move


PLANS = {
    "email": Plan(move=_move_mailboxes),
    "phone": Plan(),
    "words": Plan(begin=numbers.name_words_key),
    "device": Plan(),
    "device-public": Plan(),
    "device-cookie": Plan(kept=timedelta(seconds=COOKIE_MAX_AGE)),
    "personal-data": Plan(move=_in_batches(numbers.reseal)),
    "totp": Plan(move=_in_batches(second_factors.reseal)),
    "paging": Plan(kept=timedelta(days=1)),
    "unsubscribe": Plan(kept=timedelta(days=400)),
}

NAMED_BY_ROWS = frozenset(PLANS) - {
    "device-public",
    "device-cookie",
    "paging",
    "unsubscribe",
}
