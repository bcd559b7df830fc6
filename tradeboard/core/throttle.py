"""How often something was done lately: counted in a table that all workers share."""

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from limits.storage import Storage
from sqlalchemy import case, delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core import clock
from tradeboard.core.db import changed, db, writing

# Both dialects know ON CONFLICT, though not as one type.
INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


class ThrottleBucket(db.Model):
    """One count and when it starts anew; the key is a hash, names no address."""

    key: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]
    expires_at: Mapped[datetime] = mapped_column(index=True)


class DatabaseStorage(Storage):
    """Counts for the `limits` library, each in a short transaction of its own.

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
        now = clock.now()
        until = now + timedelta(seconds=expiry)
        insert = INSERT[db.engine.dialect.name](ThrottleBucket)
        old = ThrottleBucket.expires_at <= now
        with _connection() as connection:
            return connection.scalar(
                insert.values(key=key, count=amount, expires_at=until)
                .on_conflict_do_update(
                    index_elements=[ThrottleBucket.key],
                    set_={
                        "count": case(
                            (old, amount), else_=ThrottleBucket.count + amount
                        ),
                        "expires_at": case(
                            (old, insert.excluded.expires_at),
                            else_=ThrottleBucket.expires_at,
                        ),
                    },
                )
                .returning(ThrottleBucket.count)
            )

    def get(self, key: str) -> int:
        """Return the count, which is 0 when its time is over."""
        row = self._find(key)
        return row.count if row is not None else 0

    def get_expiry(self, key: str) -> float:
        """Return when the count starts anew, in seconds since 1970."""
        row = self._find(key)
        return (row.expires_at if row is not None else clock.now()).timestamp()

    def check(self) -> bool:
        """Tell whether counts can be read."""
        try:
            self._find("")
        except DBAPIError:
            return False
        return True

    def reset(self) -> int | None:
        """Forget every count."""
        with _connection() as connection:
            return connection.execute(delete(ThrottleBucket)).rowcount

    def clear(self, key: str) -> None:
        """Forget one count."""
        with _connection() as connection:
            connection.execute(delete(ThrottleBucket).where(ThrottleBucket.key == key))

    def _find(self, key: str):
        found = select(ThrottleBucket.count, ThrottleBucket.expires_at).where(
            ThrottleBucket.key == key, ThrottleBucket.expires_at > clock.now()
        )
        with db.engine.connect() as connection:
            return connection.execute(found).one_or_none()


@contextmanager
def _connection():
    """Write on a connection of its own, and commit when the block ends well."""
    if writing.get():
        raise RuntimeError("a count inside a transaction")
    token = writing.set(True)
    try:
        with db.engine.begin() as connection:
            yield connection
    finally:
        writing.reset(token)


def forget(*, now: datetime) -> int:
    """Delete counts that are over, in the caller's transaction."""
    return changed(delete(ThrottleBucket).where(ThrottleBucket.expires_at <= now))


def moment(seconds: float) -> datetime:
    """Turn seconds since 1970 into a moment."""
    return datetime.fromtimestamp(seconds, UTC)
