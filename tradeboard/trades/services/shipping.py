"""Send and receive: what two people do in time."""

from datetime import date, datetime

from tradeboard.accounts.models import Account
from tradeboard.audit.services import record as audit
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.core.states import advance
from tradeboard.notifications.services import queue_mail
from tradeboard.trades import queries
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules import carriers, clock, states
from tradeboard.trades.rules.states import Condition, LegState, TradeState
from tradeboard.trades.services import closing, texts
from tradeboard.trades.services.moving import (
    move,
    require_before,
    require_party,
    require_recipient,
    require_sender,
)

NO_TRACKING = "none"
LONGEST_NUMBER = 40


def dispatch(
    leg_id: int, *, carrier: str, tracking: str, by: Account, now: datetime
) -> Leg:
    """Let the sender say that it is on its way; the first dispatch starts the clock.

    `carrier` is a code of `rules.carriers`, or "none" for a parcel without tracking.
    """
    leg = queries.get_leg(leg_id)
    trade = leg.trade
    require_sender(leg, by)
    require_before(trade.due_at or trade.dispatch_by, now)
    carrier, number = read_tracking(carrier, tracking)
    is_first = trade.first_dispatched_at is None
    move(trade, "dispatch", by_id=by.id, now=now, leg=leg.id)
    _send(leg, carrier, number, now)
    if is_first:
        trade.first_dispatched_at, trade.due_at = now, clock.due_at(now)
        trade.dispatch_by = None
        closing.overtake_proposals(trade, now=now)
    _tell_of_dispatch(leg, is_first, now)
    return leg


def read_tracking(carrier: str, tracking: str) -> tuple[str, str]:
    """Return carrier and number as they are kept; a wrong check digit is no reason."""
    if carrier == NO_TRACKING:
        return carrier, ""
    known = carriers.find_carrier(carrier)
    if known is None:
        raise RuleBroken("送り方を選んでください。", field="carrier")
    number = carriers.normalise(tracking)
    if known.needs_number and not number:
        raise RuleBroken(
            "お問い合わせ番号を入れてください。"
            "番号のない送り方なら「追跡なし」を選んでください。",
            field="tracking",
        )
    if len(number) > LONGEST_NUMBER:
        raise RuleBroken("%(n)s字までです。", field="tracking", n=LONGEST_NUMBER)
    return carrier, number


def confirm_receipt(
    leg_id: int,
    *,
    arrived_on: date,
    condition: Condition,
    words: str,
    by: Account,
    now: datetime,
) -> Leg:
    """Let the recipient say that it has come, as agreed or not."""
    leg = queries.get_leg(leg_id)
    trade = leg.trade
    require_recipient(leg, by)
    if trade.state is TradeState.DEFAULTED:
        raise Conflict(
            "期限を過ぎました。届いたことは、期限後の確認の画面で記録できます。"
        )
    require_before(trade.due_at, now)
    # Both parcels are read before this one changes: a read in between would write it
    # ahead of its trade, and a sweep locks in the other order.
    is_last = queries.missing(trade) == [leg]
    _check_arrival(leg, arrived_on, condition, words, by, now)
    leg.state = advance(states.LEG, leg.state, "receive")
    leg.arrived_on, leg.received_at = arrived_on, now
    leg.condition, leg.differs_words = condition, words
    _after_receipt(leg, is_last, by, now)
    return leg


def solve(leg_id: int, *, by: Account, now: datetime) -> Leg:
    """Let the recipient, or a moderator who is no party, close a difference."""
    leg = queries.get_leg(leg_id)
    trade = leg.trade
    is_recipient = leg.recipient_id == by.id
    is_party = by.id in (trade.poster_id, trade.proposer_id)
    if not is_recipient and (is_party or not by.is_staff):
        require_party(trade, by)
        raise NotAllowed("この操作ができるのは、荷物を受け取った人だけです。")
    if leg.condition is not Condition.DIFFERS or leg.solved_at is not None:
        raise Conflict("内容の違いは記録されていません。")
    others = [other for other in trade.legs if other is not leg]
    leg.solved_at = now
    done = not any(
        other in queries.missing(trade) or other in queries.unsolved(trade)
        for other in others
    )
    event = "solve" if done else "solve, one to come"
    move(trade, event, by_id=by.id, now=now, leg=leg.id)
    if not is_party:
        audit("solve difference", f"trade:{trade.id}", by_id=by.id, now=now, leg=leg.id)
    if done:
        closing.received(trade, by_id=by.id, now=now)
    return leg


def _send(leg: Leg, carrier: str, number: str, now: datetime) -> None:
    leg.state = advance(states.LEG, leg.state, "dispatch")
    leg.carrier, leg.tracking, leg.dispatched_at = carrier, number, now


def _check_arrival(leg, arrived_on, condition, words, by, now):
    today = queries.day_in_japan(now)
    if leg.state is not LegState.DISPATCHED:
        raise Conflict("この荷物は、受け取りを記録できる状態ではありません。")
    if arrived_on > today:
        raise RuleBroken("届いた日は今日までの日付です。", field="arrived_on")
    if arrived_on < queries.day_in_japan(leg.dispatched_at):
        raise RuleBroken("届いた日が発送より前です。", field="arrived_on")
    if condition is Condition.DIFFERS and not words.strip():
        raise RuleBroken("何が違うかを書いてください。", field="words")
    texts.check(words, field="words", by=by)


def _after_receipt(leg: Leg, is_last: bool, by: Account, now: datetime) -> None:
    trade = leg.trade
    if not is_last:
        move(trade, "receive first", by_id=by.id, now=now, leg=leg.id)
    elif queries.unsolved(trade):
        move(trade, "receive last, differs", by_id=by.id, now=now, leg=leg.id)
        trade.due_at = None
        closing.overtake_proposals(trade, now=now)
    else:
        move(trade, "receive last", by_id=by.id, now=now, leg=leg.id)
        closing.received(trade, by_id=by.id, now=now)
    _tell_of_receipt(leg, now)


def _tell_of_dispatch(leg: Leg, is_first: bool, now: datetime) -> None:
    trade: Trade = leg.trade
    assert trade.due_at is not None
    people = (leg.sender, leg.recipient) if is_first else (leg.recipient,)
    for person in people:
        queue_mail(
            person,
            f"trades/mail/{'first' if is_first else 'second'}_dispatch.txt",
            key=f"dispatch:{leg.id}:{person.id}:{now.isoformat()}",
            now=now,
            trade=trade.id,
            sender=leg.sender.handle,
            partner=trade.partner_of(person.id).handle,
            due_at=trade.due_at,
            latest=clock.latest_sensible_dispatch(trade.due_at),
            mine=person.id == leg.sender_id,
        )


def _tell_of_receipt(leg: Leg, now: datetime) -> None:
    differs = leg.condition is Condition.DIFFERS
    queue_mail(
        leg.sender,
        f"trades/mail/{'differs' if differs else 'received'}.txt",
        key=f"received:{leg.id}:{now.isoformat()}",
        now=now,
        trade=leg.trade_id,
        partner=leg.recipient.handle,
    )
    if not differs:
        return
    for person in queries.moderators_outside(leg.trade):
        queue_mail(
            person,
            "trades/mail/differs_staff.txt",
            key=f"differs:{leg.id}:{person.id}:{now.isoformat()}",
            now=now,
            trade=leg.trade_id,
        )
