"""Decide about a match: whoever has traded with one of the two leaves it to others."""

from datetime import datetime

from tradeboard.accounts.models import Account, Hold
from tradeboard.accounts.rules.holds import HoldDecision
from tradeboard.accounts.services import holds
from tradeboard.core.errors import NotAllowed
from tradeboard.moderation import queries
from tradeboard.trades import queries as trades


def decide_hold(
    hold_id: int,
    decision: HoldDecision,
    sentence: str,
    *,
    version: int,
    by: Account,
    now: datetime,
) -> Hold:
    """Let a moderator who is near to neither of the two say what a pair is."""
    if not may_decide_hold(queries.hold_for_desk(hold_id), by):
        raise NotAllowed("判断できるのは、この2人に当たらない担当者だけです。")
    return holds.decide(hold_id, decision, sentence, version=version, by=by, now=now)


def mark_shared(
    hold_id: int, device_id: int, shared: bool, *, by: Account, now: datetime
) -> None:
    """Let whoever may decide about a match say whether several use a browser of it."""
    if not may_decide_hold(queries.hold_for_desk(hold_id), by):
        raise NotAllowed("判断できるのは、この2人に当たらない担当者だけです。")
    holds.mark_shared(device_id, shared, by=by, now=now)


def may_decide_hold(hold: Hold, by: Account) -> bool:
    """Tell whether somebody may decide about a match."""
    return trades.may_judge(by, (hold.account_id, hold.other_id))
