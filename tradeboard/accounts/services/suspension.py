"""Suspend an account by hand, and restore it."""

from datetime import datetime

from tradeboard.accounts import queries
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import reasons, standing
from tradeboard.core.errors import NotAllowed, RuleBroken

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
    *,
    until: datetime | None,
    by: Account,
    now: datetime,
) -> None:
    """Suspend an account until then, or until it is restored; sessions end."""
    account = queries.get_account(account_id)
    if not may_suspend(account, by=by):
        raise NotAllowed("このアカウントは停止できません。")
    if reason not in REASONS:
        raise RuleBroken("理由を選んでください", field="reason")
    if account.is_staff:
        whose = f"account:{account_id}"
        reasons.give(Act.SUSPEND_STAFF, whose, reason, by=by, now=now)
    standing.restrict(
        account_id,
        f"{CAUSE}:{reason}",
        Standing.SUSPENDED,
        until=until,
        by_id=by.id,
        now=now,
    )


def restore(account_id: int, *, by: Account, now: datetime) -> None:
    """End every suspension by hand; other causes stay."""
    account = queries.get_account(account_id)
    if not may_suspend(account, by=by):
        raise NotAllowed("このアカウントの停止は解除できません。")
    for restriction in queries.restrictions_of(account_id):
        if restriction.cause.startswith(f"{CAUSE}:"):
            standing.release(account_id, restriction.cause, by_id=by.id, now=now)
