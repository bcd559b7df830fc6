"""How a trade moves: its row is written at each event, so that one of two wins."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, bindparam, insert, update
from sqlalchemy.orm.exc import StaleDataError

from tradeboard.accounts.models import Account
from tradeboard.core import prepared
from tradeboard.core.db import connection, db, id_of, read_anew
from tradeboard.core.errors import Conflict, NotAllowed, NotFound
from tradeboard.core.states import advance
from tradeboard.core.together import write_together
from tradeboard.trades.models import Leg, Trade, TradeEvent
from tradeboard.trades.queries import Sending
from tradeboard.trades.rules import clock, states

_TRADE = Trade.__table__
_MOVE = (
    update(_TRADE)
    .where(
        _TRADE.c.id == bindparam("of_id", type_=Integer),
        _TRADE.c.version == bindparam("of_version", type_=Integer),
    )
    .returning(_TRADE.c.id)
)
_EVENT = insert(TradeEvent.__table__)


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


def move_all(
    trades: Sequence[Trade], event: str, *, by_id: int | None, now: datetime
) -> None:
    """Let an event happen to several trades, which their versions guard as `move`s.

    What else was changed of them is written with it.
    """
    steps = []
    for trade in trades:
        trade.state = advance(states.TRADE, trade.state, event)
        trade.moved_at = now
        step = {"trade_id": trade.id, "at": now, "actor_id": by_id, "event": event}
        steps.append(step | {"facts": {}})
    if steps:
        write_together(trades)
        connection().execute(_EVENT, steps)


def move_read(
    read: Sending,
    event: str,
    *,
    by_id: int,
    now: datetime,
    changes: dict[str, Any],
    **facts: Any,
) -> None:
    """Let an event happen to a trade of which columns were read; else as `move`.

    Whoever read before somebody else moved it is refused as a mapped row refuses him.
    """
    moved = {
        "of_id": read.trade_id,
        "of_version": read.version,
        "state": advance(states.TRADE, read.state, event),
        "moved_at": now,
        "version": read.version + 1,
        **changes,
    }
    prepared.later(_MOVE, moved, then=_require_moved)
    step = {"at": now, "actor_id": by_id, "event": event, "facts": facts}
    prepared.later(_EVENT, {"trade_id": read.trade_id, **step})
    read_anew(Trade, read.trade_id)


def _require_moved(found: prepared.Rows) -> None:
    if not found:
        raise StaleDataError("a trade that somebody else has moved")


def require_party(trade: Trade | Sending, by: Account) -> None:
    """Let only the two in; to others the trade does not exist."""
    if id_of(by) not in (trade.poster_id, trade.proposer_id):
        raise NotFound("取引が見つかりません。")


def require_sender(leg: Leg | Sending, by: Account) -> None:
    """Let only the sender of a parcel act on it."""
    require_party(leg if isinstance(leg, Sending) else leg.trade, by)
    if leg.sender_id != id_of(by):
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
