"""How often something was done lately: counted in a table that all workers share."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from limits.storage import Storage
from sqlalchemy import Engine, Select, delete, select
from sqlalchemy.exc import DBAPIError

from tradeboard.core import clock, prepared, trips, wire
from tradeboard.core.counts import COUNT, Count, ThrottleBucket, counting
from tradeboard.core.db import changed, db, writing

# How many counts that are over go in one transaction.
AT_ONCE = 1000

FIND = """
SELECT count, expires_at FROM throttle_bucket WHERE key = :key AND expires_at > :now
"""
FORGET_ONE = "DELETE FROM throttle_bucket WHERE key = :key RETURNING key"
FORGET_ALL = "DELETE FROM throttle_bucket RETURNING key"


class DatabaseStorage(Storage):
    """Counts for the `limits` library, each one statement, committed by itself.

    It uses a connection beside the session's, since a count must stay although the
    request that it counts is refused. Never call it inside `transaction()`: on SQLite
    the two would wait for each other.
    """

    STORAGE_SCHEME = ["tradeboard"]

    @property
    def base_exceptions(self):
        """Return what a broken database raises."""
        return DBAPIError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count once more and return the count; an old count starts anew."""
        return count_each([Count(key, amount, expiry, 0)])[0][0]

    def count_each(self, counts: Sequence[Count]) -> list[int]:
        """Count in turn, in one statement, until one is over its most."""
        return count_each(counts)[0]

    def get(self, key: str) -> int:
        """Return the count, which is 0 when its time is over."""
        rows = _run(FIND, key=key, now=clock.now())
        return rows[0][0] if rows else 0

    def get_expiry(self, key: str) -> float:
        """Return when the count starts anew, in seconds since 1970."""
        rows = _run(FIND, key=key, now=clock.now())
        return (_read(rows[0][1]) if rows else clock.now()).timestamp()

    def check(self) -> bool:
        """Tell whether counts can be read."""
        try:
            _run(FIND, key="", now=clock.now())
        except DBAPIError:
            return False
        return True

    def reset(self) -> int | None:
        """Forget every count."""
        return len(_run(FORGET_ALL))

    def clear(self, key: str) -> None:
        """Forget one count."""
        _run(FORGET_ONE, key=key)


def _run(statement: str, **values: Any) -> list[tuple]:
    """Run one statement on a connection of its own, past SQLAlchemy."""
    engine = _engine()
    on_sqlite = engine.dialect.name == "sqlite"
    text = statement if on_sqlite else _for_psycopg(statement)
    with prepared.lent(engine) as pooled, trips.told(engine, pooled, statement):
        run = _run_on_sqlite if on_sqlite else _run_on_postgresql
        return run(pooled.dbapi_connection, text, values)


def _engine() -> Engine:
    if writing.get():
        raise RuntimeError("a count inside a transaction")
    return db.engine


def count_each(
    counts: Sequence[Count],
    beside: Select | None = None,
    values: Mapping[str, Any] | None = None,
) -> tuple[list[int], prepared.Rows]:
    """Count in turn until one is over its most; read `beside` only if none is.

    Counting is the only write of a page that is read, so it costs one trip, together
    with what is read: no BEGIN, no COMMIT, nothing compiled. Returned are the counts,
    of which the last may be over, and the rows.
    """
    engine = _engine()
    ask = _each_on_sqlite if engine.dialect.name == "sqlite" else _each_on_postgresql
    with prepared.lent(engine) as pooled:
        if prepared.may_prepare(pooled):
            return ask(engine, pooled, counts, beside, values or {})
    found = _one_by_one(counts)
    if beside is None or found[-1] > counts[len(found) - 1].most:
        return found, []
    return found, prepared.in_session(beside, values or {})


def _one_by_one(counts: Sequence[Count]) -> list[int]:
    """Count behind a pooler, where nothing is prepared."""
    found: list[int] = []
    now = clock.now()
    for one in counts:
        until = now + timedelta(seconds=one.seconds)
        given = {"key": one.key, "amount": one.amount, "until": until, "now": now}
        found.append(_run(COUNT, **given)[0][0])
        if found[-1] > one.most:
            break
    return found


def _each_on_sqlite(engine, pooled, counts, beside, values):
    found: list[int] = []
    now = clock.now()
    driver = pooled.dbapi_connection
    for one in counts:
        until = now + timedelta(seconds=one.seconds)
        given = {"key": one.key, "amount": one.amount, "until": until, "now": now}
        with trips.told(engine, pooled, COUNT):
            found.append(_run_on_sqlite(driver, COUNT, given)[0][0])
        if found[-1] > one.most:
            return found, []
    rows = prepared.run(engine, pooled, beside, values) if beside is not None else []
    return found, rows


def _each_on_postgresql(engine, pooled, counts, beside, values):
    now = clock.now()
    given: dict[str, Any] = {**values, "counted_at": now}
    for at, one in enumerate(counts):
        until = now + timedelta(seconds=one.seconds)
        given |= {f"key_{at}": one.key, f"amount_{at}": one.amount}
        given |= {f"until_{at}": until, f"most_{at}": one.most}
    number = len(counts)
    rows = prepared.run(engine, pooled, counting(number, beside), given)
    found = [reached for reached in rows[0][:number] if reached is not None]
    read = [row[number + 1 :] for row in rows if row[number] is not None]
    return found, read


def _run_on_sqlite(driver: Any, text: str, values: dict[str, Any]) -> list[tuple]:
    """Let the statement commit without waiting for the disk, which comes later."""
    (kept,) = driver.execute("PRAGMA synchronous").fetchone()
    driver.execute("PRAGMA query_only = OFF")
    driver.execute(f"PRAGMA synchronous = {min(kept, 1)}")
    found = driver.execute(
        text, {name: wire.for_sqlite(v) for name, v in values.items()}
    )
    rows = found.fetchall()
    driver.execute(f"PRAGMA synchronous = {kept}")
    return rows


def _run_on_postgresql(driver: Any, text: str, values: dict[str, Any]) -> list[tuple]:
    driver.autocommit = True
    rows = driver.execute(text, values).fetchall()
    driver.autocommit = False
    return rows


@lru_cache
def _for_psycopg(statement: str) -> str:
    return re.sub(r":(\w+)", r"%(\1)s", statement)


def _read(value: str | datetime) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def forget(*, now: datetime) -> int:
    """Delete at most AT_ONCE counts that are over, in the caller's transaction."""
    over = ThrottleBucket.expires_at <= now
    some = select(ThrottleBucket.key).where(over).limit(AT_ONCE)
    # Asked twice: one that begins anew in this moment stays.
    return changed(delete(ThrottleBucket).where(over, ThrottleBucket.key.in_(some)))


def moment(seconds: float) -> datetime:
    """Turn seconds since 1970 into a moment."""
    return datetime.fromtimestamp(seconds, UTC)
