"""Suspend people and end it: whoever is near to somebody leaves that to others."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.services import suspension
from tradeboard.core.errors import NotAllowed
from tradeboard.trades import queries as trades

NEAR = "このアカウントの停止は、ほかの担当者に任せてください。"


def may_suspend(account: Account, *, by: Account) -> bool:
    """Tell whether somebody of staff may suspend this person, or end that."""
    return suspension.may_suspend(account, by=by) and trades.may_judge(by, [account.id])


def suspend(
    account_id: int,
    reason: str,
    why: str,
    *,
    until: datetime | None,
    by: Account,
    now: datetime,
) -> None:
    """Suspend an account, unless it is of somebody near."""
    _leave_near_ones(account_id, by)
    suspension.suspend(account_id, reason, why, until=until, by=by, now=now)


def lift_suspension(account_id: int, why: str, *, by: Account, now: datetime) -> None:
    """End a suspension before its time, unless it is of somebody near."""
    _leave_near_ones(account_id, by)
    suspension.restore(account_id, why, by=by, now=now)


def _leave_near_ones(account_id: int, by: Account) -> None:
    if not trades.may_judge(by, [account_id]):
        raise NotAllowed(NEAR)
