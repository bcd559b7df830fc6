"""Suspend an account by hand, and restore it."""

from collections.abc import Sequence
from datetime import datetime

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account, Restriction
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import reasons, standing
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken

REASONS = ("terms", "record", "harassment", "safety")
CAUSE = "suspension"


def may_suspend(account: Account, *, by: Account) -> bool:
    """Tell whether this moderator may: nobody himself, and staff only admins.

    Nor whoever has a block with the person, in either direction.
    """
    if account.id == by.id or queries.blocks_between(account.id, by.id):
        return False
    return by.may(Act.SUSPEND_STAFF if account.is_staff else Act.SUSPEND)


def suspend(
    account_id: int,
    reason: str,
    why: str = "",
    *,
    until: datetime | None,
    by: Account,
    now: datetime,
) -> None:
    """Suspend an account until then, or until it is restored; sessions end.

    Of staff it needs a reason in words, which all others of staff are told. Suspended
    again for the same cause, nobody is so for a shorter time than before.
    """
    account = queries.get_account(account_id)
    if not may_suspend(account, by=by):
        raise NotAllowed("このアカウントは停止できません。")
    if reason not in REASONS:
        raise RuleBroken("理由を選んでください", field="reason")
    if account.is_staff:
        whose = f"account:{account_id}"
        reasons.give(Act.SUSPEND_STAFF, whose, why, by=by, now=now)
    cause = f"{CAUSE}:{reason}"
    standing.lock([account_id])
    ends = [row.until for row in suspensions(account_id) if row.cause == cause]
    standing.restrict(
        account_id,
        cause,
        Standing.SUSPENDED,
        until=_latest([until, *ends]),
        by_id=by.id,
        now=now,
    )


def restore(account_id: int, why: str, *, by: Account, now: datetime) -> None:
    """End every suspension by hand, before its time; other causes stay.

    All of staff are told why.
    """
    account = queries.get_account(account_id)
    if not may_suspend(account, by=by):
        raise NotAllowed("このアカウントの停止は解除できません。")
    act = Act.SUSPEND_STAFF if account.is_staff else Act.LIFT_SUSPENSIONS
    reasons.give(act, f"account:{account_id}", why, by=by, now=now)
    running = suspensions(account_id)
    if not running:
        raise Conflict("このアカウントは停止されていません。")
    for restriction in running:
        standing.release(account_id, restriction.cause, by_id=by.id, now=now)


def suspensions(account_id: int) -> list[Restriction]:
    """Return what suspends somebody now."""
    found = queries.restrictions_of(account_id)
    return [row for row in found if row.cause.startswith(f"{CAUSE}:")]


def _latest(ends: Sequence[datetime | None]) -> datetime | None:
    """Return the last of some ends; None is later than any."""
    moments = [end for end in ends if end is not None]
    return max(moments) if len(moments) == len(ends) else None
