"""Take another name, or leave: what asks several features first."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.services import closing, naming
from tradeboard.core.errors import RuleBroken
from tradeboard.listings import services as listings
from tradeboard.profiles import queries

A_TRADE_RUNS = (
    "進行中の取引があるあいだ、ハンドルは変えられません。"
    "取引がすべて終わると変えられます。"
)
AN_ENTRY_STANDS = (
    "ブラックリストの登録（保留中のものも含みます）があるあいだ、"
    "ハンドルは変えられません。登録が解除されるか、期間が満了すると変えられます。"
)
FINISH_FIRST = (
    "進行中の取引があるあいだは退会できません。取引がすべて終わると退会できます。"
)
ONLY_ADMIN = (
    "管理者がほかにいないあいだは退会できません。別の人が管理者になると退会できます。"
)


def rename(by: Account, typed: str, *, now: datetime) -> Account:
    """Give a person another name, unless a trade runs or an entry stands."""
    found = queries.obstacles_to_renaming(by.id, now=now)
    if found.trades:
        raise RuleBroken(A_TRADE_RUNS, field="handle")
    if found.entries:
        raise RuleBroken(AN_ENTRY_STANDS, field="handle")
    return naming.rename(by, typed, now=now)


def close(by: Account, *, now: datetime) -> None:
    """Close an account: nothing of it is on the board, and nobody signs in.

    What stands in the way is asked again once everything is locked, so that a trade
    that began meanwhile is not missed.
    """
    _require_free(by)
    listings.leave(by.id, now=now)
    closing.close(by.id, now=now)
    _require_free(by)


def _require_free(by: Account) -> None:
    found = queries.obstacles_to_closing(by)
    if found.trades:
        raise RuleBroken(FINISH_FIRST)
    if found.is_only_admin:
        raise RuleBroken(ONLY_ADMIN)
