"""Ask who wants nothing new from whom."""

from collections.abc import Sequence

from sqlalchemy import Integer, and_, bindparam, or_, select, union

from tradeboard.accounts.models import Account, Block
from tradeboard.core.db import db

_ONE, _OTHER = (bindparam(name, type_=Integer) for name in ("one_id", "other_id"))
_BETWEEN = select(Block.account_id).where(
    or_(
        and_(Block.account_id == _ONE, Block.blocked_id == _OTHER),
        and_(Block.account_id == _OTHER, Block.blocked_id == _ONE),
    )
)


def blocks(account_id: int, blocked_id: int) -> bool:
    """Tell whether a person blocked another one."""
    return db.session.get(Block, (account_id, blocked_id)) is not None


def blocks_between(one_id: int, other_id: int) -> set[int]:
    """Return who of two people blocked the other, asked at once."""
    both = {"one_id": one_id, "other_id": other_id}
    return set(db.session.scalars(_BETWEEN, both))


def blocked_by(account_id: int) -> Sequence[Account]:
    """Return whom a person blocked, the newest first."""
    found = (
        select(Account)
        .join(Block, Block.blocked_id == Account.id)
        .where(Block.account_id == account_id)
        .order_by(Block.since.desc(), Account.id)
    )
    return db.session.scalars(found).all()


def apart_from(account_id: int) -> set[int]:
    """Return with whom a person starts nothing: a block in either direction."""
    own = select(Block.blocked_id).where(Block.account_id == account_id)
    other = select(Block.account_id).where(Block.blocked_id == account_id)
    return set(db.session.scalars(union(own, other)))
