"""What happens at and after the due instant: default, late dispatch, late receipt."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from tradeboard.accounts.models import Account
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.records import dataclass
from tradeboard.core.states import advance
from tradeboard.listings import services as listings
from tradeboard.trades import queries
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules import clock, findings, states
from tradeboard.trades.rules.findings import Finding, Parcel
from tradeboard.trades.rules.states import Condition, LegState, Party, TradeState
from tradeboard.trades.services import closing, records, shipping
from tradeboard.trades.services.moving import (
    move,
    move_all,
    require_recipient,
    require_sender,
)

LONGEST_PAUSE = timedelta(hours=1)


@dataclass(frozen=True)
class Defaulted:
    """A trade that has just ended at its due instant, and each parcel that is missing.

    Of each parcel stands what is known of it.
    """

    trade: Trade
    missing: list[tuple[Leg, Finding]]


def default(trade_id: int, *, now: datetime) -> Defaulted:
    """End a trade that fell due, or raise Conflict."""
    ended = default_all([trade_id], now=now)
    if ended:
        return ended[0]
    if clock.is_over(queries.get_trade(trade_id).due_at, now):
        raise Conflict("この取引はもう終わっています。")
    raise Conflict("期限はまだ過ぎていません。")


def default_all(trade_ids: Collection[int], *, now: datetime) -> list[Defaulted]:
    """End those trades that are due and in nobody's hand, in a few statements.

    The rows are locked and checked again: the goods may have come since the trades
    were chosen.
    """
    due = [
        trade
        for trade in queries.lock_overdue(trade_ids)
        if trade.state is TradeState.SHIPPED and clock.is_over(trade.due_at, now)
    ]
    ended = [_default(trade, now) for trade in due]
    move_all(due, "default", by_id=None, now=now)
    _free_what_never_left(due, now)
    records.count_all(due)
    return ended


def _default(trade: Trade, now: datetime) -> Defaulted:
    found = [
        (leg, finding)
        for leg in trade.legs
        if (finding := _finding(trade, leg)) is not None
    ]
    for leg, finding in found:
        leg.defaulted_at, leg.finding = now, finding
    closing.close(trade, by_id=None, now=now)
    return Defaulted(trade, found)


def postpone(trade_id: int, *, now: datetime) -> None:
    """Try a trade whose sweep broke again later: in 2, 4, 8 … minutes, at most 1 h."""
    trade = queries.get_trade(trade_id)
    trade.sweep_errors += 1
    pause = timedelta(minutes=2 ** min(trade.sweep_errors, 6))
    trade.next_try_at = now + min(pause, LONGEST_PAUSE)


def dispatch_late(
    leg_id: int, *, carrier: str, tracking: str, by: Account, now: datetime
) -> Leg:
    """Let a sender send after the default; the entry follows the receipt."""
    leg = queries.get_leg(leg_id)
    require_sender(leg, by)
    carrier, number = shipping.read_tracking(carrier, tracking)
    move(leg.trade, "dispatch late", by_id=by.id, now=now, leg=leg.id)
    leg.state = advance(states.LEG, leg.state, "dispatch")
    leg.carrier, leg.tracking, leg.dispatched_at = carrier, number, now
    return leg


def confirm_late(
    leg_id: int, *, arrived_at: datetime, by: Account, now: datetime
) -> Leg:
    """Let the recipient say after the default that it came, and when.

    A parcel whose dispatch was never pressed counts as sent by its arrival.
    """
    leg = queries.get_leg(leg_id)
    trade = leg.trade
    require_recipient(leg, by)
    if trade.state is not TradeState.DEFAULTED:
        raise Conflict("この取引は期限を過ぎていません。")
    if arrived_at > now:
        raise RuleBroken("届いた日時は今までの日時です。", field="arrived_at")
    assert trade.phone_confirmed_at is not None
    if arrived_at < trade.phone_confirmed_at:
        raise RuleBroken("届いた日時が電話の確認より前です。", field="arrived_at")
    move(trade, "receive late", by_id=by.id, now=now, leg=leg.id)
    if leg.state is LegState.NOT_SENT:
        leg.state = advance(states.LEG, leg.state, "dispatch")
        leg.dispatched_at = now
    leg.state = advance(states.LEG, leg.state, "receive")
    leg.received_at, leg.condition = now, Condition.AS_AGREED
    leg.arrived_on = queries.day_in_japan(arrived_at)
    if trade.due_at is not None and arrived_at < trade.due_at:
        records.excuse(leg, now=now)
    return leg


def _finding(trade: Trade, leg: Leg) -> Finding | None:
    other = trade.leg_from(leg.recipient_id)
    return findings.finding(_parcel(leg), _parcel(other))


def _parcel(leg: Leg) -> Parcel:
    return Parcel(
        sent=leg.state is not LegState.NOT_SENT,
        received=leg.state is LegState.RECEIVED,
        tracked=bool(leg.tracking),
        contested=leg.contested_at is not None,
        withheld=leg.withheld_at is not None,
    )


def _free_what_never_left(trades: Iterable[Trade], now: datetime) -> None:
    """Give back the poster's copies only if their parcel was never dispatched."""
    kept: Counter[int] = Counter()
    gone: Counter[int] = Counter()
    for trade in trades:
        never_left = trade.leg_from(trade.poster_id).state is LegState.NOT_SENT
        (kept if never_left else gone).update(queries.promised(trade, Party.POSTER))
    if kept:
        listings.release(kept, now=now)
    if gone:
        listings.trade_away(gone, now=now)
