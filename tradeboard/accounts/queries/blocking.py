"""Ask who wants nothing new from whom."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import (
    Integer,
    and_,
    bindparam,
    func,
    or_,
    select,
    tuple_,
    union,
)

from tradeboard.accounts.models import Account, Block
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core.db import db
from tradeboard.core.paging import PAGE_SIZE, Cursor
from tradeboard.core.records import dataclass

_ONE, _OTHER = (bindparam(name, type_=Integer) for name in ("one_id", "other_id"))
_BETWEEN = select(Block.account_id).where(
    or_(
        and_(Block.account_id == _ONE, Block.blocked_id == _OTHER),
        and_(Block.account_id == _OTHER, Block.blocked_id == _ONE),
    )
)


@dataclass(frozen=True)
class Blocked:
    """Somebody whom a person blocked, and since when."""

    id: int
    handle: str
    standing: Standing
    since: datetime


def blocks(account_id: int, blocked_id: int) -> bool:
    """Tell whether a person blocked another one."""
    return db.session.get(Block, (account_id, blocked_id)) is not None


def blocks_between(one_id: int, other_id: int) -> set[int]:
    """Return who of two people blocked the other, asked at once."""
    both = {"one_id": one_id, "other_id": other_id}
    return set(db.session.scalars(_BETWEEN, both))


def blocked_by(
    account_id: int, after: Cursor | None = None, *, size: int = PAGE_SIZE
) -> Sequence[Blocked]:
    """Return whom a person blocked, the newest first; one more if there are more."""
    found = (
        select(Account.id, Account.handle, Account.standing, Block.since)
        .join(Block, Block.blocked_id == Account.id)
        .where(Block.account_id == account_id)
    )
    if after is not None:
        at = tuple_(Block.since, Block.blocked_id)
        found = found.where(at < (after.at, after.id))
    found = found.order_by(Block.since.desc(), Block.blocked_id.desc())
    return [Blocked(*row) for row in db.session.execute(found.limit(size + 1))]


def count_blocked(account_id: int) -> int:
    """Return how many people somebody blocked."""
    found = select(func.count()).where(Block.account_id == account_id)
    return db.session.scalar(found) or 0


def apart_from(account_id: int) -> set[int]:
    """Return with whom a person starts nothing: a block in either direction."""
    own = select(Block.blocked_id).where(Block.account_id == account_id)
    other = select(Block.account_id).where(Block.blocked_id == account_id)
    return set(db.session.scalars(union(own, other)))
