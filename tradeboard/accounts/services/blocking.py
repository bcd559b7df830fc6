"""Want nothing new from somebody, without telling that person."""

from datetime import datetime

from sqlalchemy import delete

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Block
from tradeboard.core.db import changed, db
from tradeboard.core.errors import RuleBroken, TooMany

MOST_BLOCKED = 500


def block(blocked_id: int, *, by: Account, now: datetime) -> None:
    """Block a person: no offers from there any more. Done twice, it is one block."""
    if blocked_id == by.id:
        raise RuleBroken("自分はブロックできません。")
    queries.get_account(blocked_id)
    if queries.blocks(by.id, blocked_id):
        return
    if queries.count_blocked(by.id) >= MOST_BLOCKED:
        raise TooMany(
            "ブロックできるのは%(n)s人までです。ほかの人のブロックを解除すると、できます。",
            n=MOST_BLOCKED,
        )
    db.session.add(Block(account_id=by.id, blocked_id=blocked_id, since=now))
    db.session.flush()


def unblock(blocked_id: int, *, by: Account) -> None:
    """End a block; done twice, it has ended."""
    changed(
        delete(Block).where(Block.account_id == by.id, Block.blocked_id == blocked_id)
    )


def require_welcome(by: Account, other_id: int) -> None:
    """Refuse to start anything with somebody who blocked, or whom one blocked oneself.

    The sentence for the blocked does not tell of a block.
    """
    blocking = queries.blocks_between(other_id, by.id)
    refuse_unwelcome(is_blocked=other_id in blocking, blocks=by.id in blocking)


def refuse_unwelcome(*, is_blocked: bool, blocks: bool) -> None:
    """Refuse as `require_welcome` where it is known who blocks whom."""
    if is_blocked:
        raise RuleBroken("この人とは、新しい取引を始められません。")
    if blocks:
        raise RuleBroken(
            "ブロックしている人とは新しい取引ができません。"
            "ブロックを解除すると、できます。"
        )
