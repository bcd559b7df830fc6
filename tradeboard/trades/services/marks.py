"""Contest, withhold, undo: what each side may still say before the due instant."""

from datetime import date, datetime

from tradeboard.accounts.models import Account
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.states import advance
from tradeboard.notifications.services import queue_mail
from tradeboard.trades import queries
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules import carriers, clock, states
from tradeboard.trades.rules.states import LegState, TradeState
from tradeboard.trades.services.moving import (
    move,
    require_before,
    require_recipient,
    require_sender,
)


def contest(leg_id: int, *, delivered_on: date, by: Account, now: datetime) -> Leg:
    """Let the sender say that it was delivered, with a checked number or a photo.

    At the earliest two days after its dispatch, and before the due instant.
    """
    leg = queries.get_leg(leg_id)
    trade = leg.trade
    require_sender(leg, by)
    _require_running(trade, now)
    if leg.state is not LegState.DISPATCHED or leg.contested_at is not None:
        raise Conflict("いまの状態では、この操作はできません。")
    assert leg.dispatched_at is not None
    if now < clock.may_contest_from(leg.dispatched_at):
        raise RuleBroken("配達の申し出は、発送から2日たつとできます。")
    sent_on, today = queries.day_in_japan(leg.dispatched_at), queries.day_in_japan(now)
    if not sent_on <= delivered_on <= today:
        raise RuleBroken(
            "配達の日は、発送の日から今日までの日付です。", field="delivered_on"
        )
    if not _has_proof(leg):
        raise RuleBroken(
            "検算の合う追跡番号か、配達を示す写真が必要です。", field="photo"
        )
    move(trade, "contest", by_id=by.id, now=now, leg=leg.id)
    leg.contested_at, leg.delivered_on = now, delivered_on
    _tell(leg.recipient, "contested", leg, now)
    return leg


def withhold(leg_id: int, *, by: Account, now: datetime) -> Leg:
    """Let a sender hold back, while the partner's dispatched parcel has not come."""
    leg = queries.get_leg(leg_id)
    trade = leg.trade
    require_sender(leg, by)
    _require_running(trade, now)
    other = trade.leg_from(leg.recipient_id)
    if leg.state is not LegState.NOT_SENT or leg.withheld_at is not None:
        raise Conflict("いまの状態では、この操作はできません。")
    if other.state is not LegState.DISPATCHED:
        raise RuleBroken("見合わせられるのは、相手の荷物がまだ届かない間だけです。")
    move(trade, "withhold", by_id=by.id, now=now, leg=leg.id)
    leg.withheld_at = now
    _tell(leg.recipient, "withheld", leg, now)
    return leg


def undo_dispatch(leg_id: int, *, by: Account, now: datetime) -> Leg:
    """Take a dispatch back within an hour, unless the other side relied on it.

    Undoing the only dispatch returns the trade to the confirmed call; no clock runs.
    """
    leg = queries.get_leg(leg_id)
    trade = leg.trade
    require_sender(leg, by)
    _require_running(trade, now)
    _require_fresh(leg.dispatched_at, now)
    other = trade.leg_from(leg.recipient_id)
    is_relied_on = leg.state is LegState.RECEIVED or leg.contested_at is not None
    if is_relied_on or _acted_after(other, leg.dispatched_at):
        raise Conflict("相手が先に進めたので、取り消せません。")
    only = other.state is LegState.NOT_SENT
    event = "undo the only dispatch" if only else "undo a dispatch"
    move(trade, event, by_id=by.id, now=now, leg=leg.id)
    leg.state = advance(states.LEG, leg.state, "undo")
    leg.carrier = leg.tracking = ""
    leg.dispatched_at = None
    if only:
        trade.first_dispatched_at = trade.due_at = None
        trade.extensions = 0
        assert trade.phone_confirmed_at is not None
        trade.dispatch_by = trade.phone_confirmed_at + clock.TO_DISPATCH
    _tell(leg.recipient, "dispatch_undone", leg, now)
    return leg


def undo_receipt(leg_id: int, *, by: Account, now: datetime) -> Leg:
    """Take a receipt back within an hour; the one that ended a trade stays."""
    leg = queries.get_leg(leg_id)
    trade = leg.trade
    require_recipient(leg, by)
    due_at = queries.due_of(trade)
    require_before(due_at, now)
    _require_fresh(leg.received_at, now)
    if not clock.may_undo_receipt(leg.received_at, due_at, now):
        raise Conflict(
            "期限の前の2日間は、受け取りを取り消せません。"
            "内容が違うときは、メッセージで相手に知らせてください。"
        )
    other = trade.leg_from(leg.recipient_id)
    if leg.solved_at or _acted_after(other, leg.received_at):
        raise Conflict("相手が先に進めたので、取り消せません。")
    move(trade, "undo a receipt", by_id=by.id, now=now, leg=leg.id)
    leg.state = advance(states.LEG, leg.state, "undo")
    leg.arrived_on = leg.received_at = leg.condition = None
    leg.differs_words = ""
    trade.due_at = due_at
    _tell(leg.sender, "receipt_undone", leg, now)
    return leg


def undo_mark(leg_id: int, *, by: Account, now: datetime) -> Leg:
    """Take a contest or a withholding back within an hour."""
    leg = queries.get_leg(leg_id)
    trade = leg.trade
    require_sender(leg, by)
    _require_running(trade, now)
    marked_at = leg.contested_at or leg.withheld_at
    _require_fresh(marked_at, now)
    if leg.state is LegState.RECEIVED:
        raise Conflict("相手が先に進めたので、取り消せません。")
    move(trade, "undo a mark", by_id=by.id, now=now, leg=leg.id)
    leg.contested_at = leg.delivered_on = leg.withheld_at = None
    return leg


def _require_running(trade: Trade, now: datetime) -> None:
    if trade.state is not TradeState.SHIPPED or trade.due_at is None:
        raise Conflict("いまの状態では、この操作はできません。")
    require_before(trade.due_at, now)


def _require_fresh(acted_at: datetime | None, now: datetime) -> None:
    if acted_at is None or not clock.may_undo(acted_at, now):
        raise Conflict("取り消せるのは、操作から1時間以内です。")


def _acted_after(other: Leg, instant: datetime | None) -> bool:
    """Tell whether the partner did something on the strength of this act."""
    assert instant is not None
    acts = (other.dispatched_at, other.withheld_at, other.contested_at)
    return any(act is not None and act > instant for act in acts)


def _has_proof(leg: Leg) -> bool:
    if leg.tracking and carriers.check(leg.carrier, leg.tracking) is True:
        return True
    return any(proof.purpose == "delivery" for proof in leg.proofs)


def _tell(person: Account, mail: str, leg: Leg, now: datetime) -> None:
    queue_mail(
        person,
        f"trades/mail/{mail}.txt",
        key=f"{mail}:{leg.id}:{now.isoformat()}",
        now=now,
        trade=leg.trade_id,
        partner=leg.trade.partner_of(person.id).handle,
        due_at=leg.trade.due_at or now,
    )
