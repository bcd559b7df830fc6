"""How a trade moves: its row is written at each event, so that one of two wins."""

from datetime import datetime
from typing import Any

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, NotFound
from tradeboard.core.states import advance
from tradeboard.trades.models import Leg, Trade, TradeEvent
from tradeboard.trades.rules import clock, states


def move(
    trade: Trade, event: str, *, by_id: int | None, now: datetime, **facts: Any
) -> None:
    """Let an event happen to the trade as a whole, and keep it in the history.

    The trade's version guards both legs: of two people who act at once, one wins and
    the other looks again. `by_id` is None when time acts.
    """
    trade.state = advance(states.TRADE, trade.state, event)
    trade.moved_at = now
    db.session.add(
        TradeEvent(trade_id=trade.id, at=now, actor_id=by_id, event=event, facts=facts)
    )


def require_party(trade: Trade, by: Account) -> None:
    """Let only the two in; to others the trade does not exist."""
    if by.id not in (trade.poster_id, trade.proposer_id):
        raise NotFound("取引が見つかりません。")


def require_sender(leg: Leg, by: Account) -> None:
    """Let only the sender of a parcel act on it."""
    require_party(leg.trade, by)
    if leg.sender_id != by.id:
        raise NotAllowed("この操作ができるのは、この荷物を送る人だけです。")


def require_recipient(leg: Leg, by: Account) -> None:
    """Let only the recipient of a parcel act on it."""
    require_party(leg.trade, by)
    if leg.recipient_id != by.id:
        raise NotAllowed("この操作ができるのは、この荷物を受け取る人だけです。")


def require_before(limit: datetime | None, now: datetime) -> None:
    """Leave a trade to its people up to the due instant, and then to time alone."""
    if clock.is_over(limit, now):
        raise Conflict("期限を過ぎました。結果を確認しています。")
