"""Notices before deadlines: to the side named in the rules, once each."""

from datetime import datetime, timedelta

from tradeboard.accounts.models import Account
from tradeboard.core.errors import Conflict
from tradeboard.notifications.services import queue_mail
from tradeboard.trades import queries
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import LegState, TradeState


def remind(trade_id: int, *, now: datetime) -> int:
    """Queue the notices whose time has come; return how many were due."""
    trade = queries.get_trade(trade_id)
    by_state = {
        TradeState.NEGOTIATING: _of_answer,
        TradeState.AGREED: _of_call,
        TradeState.SHIPPED: _of_due,
    }
    if trade.state not in by_state:
        raise Conflict("この取引はもう進んでいます。")
    return by_state[trade.state](trade, now)


def _of_answer(trade: Trade, now: datetime) -> int:
    if not _is_near(trade.answer_by, clock.ANSWER_NOTICE, now):
        return 0
    assert trade.turn is not None
    person = trade.person(trade.turn)
    key = f"answer-due:{trade.id}:{trade.offer_number}:{person.id}"
    _tell(person, trade, "answer_due", key, now, answer_by=trade.answer_by)
    return 1


def _of_call(trade: Trade, now: datetime) -> int:
    if not _is_near(trade.call_by, clock.CALL_NOTICE, now):
        return 0
    waiting = [side for side in trade.phones if side.words_right_at is None]
    for side in waiting:
        person = trade.partner_of(trade.partner_of(side.account_id).id)
        key = f"call-due:{trade.id}:{person.id}"
        _tell(person, trade, "call_due", key, now, call_by=trade.call_by)
    return len(waiting)


def _of_due(trade: Trade, now: datetime) -> int:
    due = trade.due_at
    before = clock.notice_due(due, now) if due is not None else None
    if before is None:
        return 0
    for leg in trade.legs:
        for person, mail in _due_notices(leg):
            key = f"due-{before.days}:{leg.id}:{person.id}:{trade.extensions}"
            _tell(person, trade, mail, key, now, due_at=due, days=before.days)
    return 1


def _due_notices(leg: Leg) -> list[tuple[Account, str]]:
    """Say who is told what about one parcel."""
    if leg.state is LegState.NOT_SENT:
        return [(leg.sender, "due_not_sent")]
    if leg.state is LegState.DISPATCHED:
        told = [(leg.recipient, "due_arrived")]
        if leg.contested_at is None:
            told.append((leg.sender, "due_add_proof"))
        return told
    return []


def _is_near(limit: datetime | None, before: timedelta, now: datetime) -> bool:
    return limit is not None and limit - before <= now < limit


def _tell(person, trade, mail, key, now, **facts):
    queue_mail(
        person,
        f"trades/mail/{mail}.txt",
        key=key,
        now=now,
        trade=trade.id,
        partner=trade.partner_of(person.id).handle,
        **facts,
    )
