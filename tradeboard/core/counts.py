"""The table of counts, and the statements that count in it."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    CTE,
    DDL,
    BigInteger,
    ColumnElement,
    FromClause,
    Integer,
    Select,
    String,
    bindparam,
    case,
    event,
    literal,
    null,
    select,
    true,
    type_coerce,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core.db import UtcDateTime, db

COUNT = """
INSERT INTO throttle_bucket (key, count, expires_at) VALUES (:key, :amount, :until)
ON CONFLICT (key) DO UPDATE SET
  count = CASE WHEN throttle_bucket.expires_at <= :now
    THEN :amount ELSE throttle_bucket.count + :amount END,
  expires_at = CASE WHEN throttle_bucket.expires_at <= :now
    THEN :until ELSE throttle_bucket.expires_at END
RETURNING count
"""


class ThrottleBucket(db.Model):
    """One count and when it starts anew; the key is a hash, names no address."""

    key: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]
    expires_at: Mapped[datetime] = mapped_column(index=True)


# Counts may go in a crash, so no commit of one waits for the disk or for a standby.
event.listen(
    ThrottleBucket.__table__,
    "after_create",
    DDL("ALTER TABLE throttle_bucket SET UNLOGGED").execute_if(dialect="postgresql"),
)


BUCKET = ThrottleBucket.__table__
NOTHING = type_coerce(null(), Integer).label("is_row")


@dataclass(frozen=True)
class Count:
    """So much more for a key, whose time starts anew, and how much there may be."""

    key: str
    amount: int
    seconds: int
    most: int


@lru_cache(maxsize=64)
def counting(number: int, beside: Select | None) -> Select:
    """Put together so many counts, each behind the one before, and what is read."""
    counted = [_counted(0, None)]
    for at in range(1, number):
        counted.append(_counted(at, _is_within(at - 1, counted[-1])))
    joined: FromClause = counted[0]
    for one in counted[1:]:
        joined = joined.outerjoin(one, true())
    shown: list[ColumnElement[Any]] = [one.c.count for one in counted]
    if beside is None:
        return select(*shown, NOTHING).select_from(joined)
    may = _is_within(number - 1, counted[-1])
    read = beside.add_columns(literal(1).label("is_row")).where(may).lateral("read")
    joined = joined.outerjoin(read, true())
    *columns, is_row = read.c
    return select(*shown, is_row, *columns).select_from(joined)


def _is_within(at: int, counted: CTE) -> ColumnElement[bool]:
    return counted.c.count <= bindparam(f"most_{at}", type_=BigInteger)


def _counted(at: int, may: ColumnElement[bool] | None) -> CTE:
    """Count once, if the count before permits it."""
    given = (
        bindparam(f"key_{at}", type_=String),
        bindparam(f"amount_{at}", type_=Integer),
        bindparam(f"until_{at}", type_=UtcDateTime),
    )
    row = select(*given) if may is None else select(*given).where(may)
    new = postgresql.insert(BUCKET).from_select(["key", "count", "expires_at"], row)
    is_over = BUCKET.c.expires_at <= bindparam("counted_at", type_=UtcDateTime)
    before, given_now = BUCKET.c, new.excluded
    more = before.count + given_now.count
    return (
        new.on_conflict_do_update(
            index_elements=[before.key],
            set_={
                "count": case((is_over, given_now.count), else_=more),
                "expires_at": case(
                    (is_over, given_now.expires_at), else_=before.expires_at
                ),
            },
        )
        .returning(before.count)
        .cte(f"counted_{at}")
    )
