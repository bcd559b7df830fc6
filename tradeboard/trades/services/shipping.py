"""Send and receive: what two people do in time."""

from datetime import date, datetime

from sqlalchemy import Integer, bindparam, update

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.audit.services import record as audit
from tradeboard.core import prepared
from tradeboard.core.db import id_of, read_anew
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.core.states import advance
from tradeboard.notifications.services import Telling, queue_mail, tell_first
from tradeboard.trades import queries
from tradeboard.trades.models import Leg
from tradeboard.trades.rules import carriers, clock, states
from tradeboard.trades.rules.states import Condition, LegState, TradeState
from tradeboard.trades.services import closing, texts
from tradeboard.trades.services.moving import (
    move,
    move_read,
    require_before,
    require_party,
    require_recipient,
    require_sender,
)

NO_TRACKING = "none"
LONGEST_NUMBER = 40
_SENT = update(Leg.__table__).where(
    Leg.__table__.c.id == bindparam("of_id", type_=Integer)
)


def dispatch(
    leg_id: int, *, carrier: str, tracking: str, by: Account, now: datetime
) -> int:
    """Let the sender say that it is on its way; the first dispatch starts the clock.

    `carrier` is a code of `rules.carriers`, or "none" for a parcel without tracking.
    Return the number of the trade.
    """
    parcel = queries.parcel_to_send(leg_id)
    require_sender(parcel, by)
    require_before(parcel.due_at or parcel.dispatch_by, now)
    carrier, number = read_tracking(carrier, tracking)
    sent = {
        "of_id": leg_id,
        "state": advance(states.LEG, parcel.leg_state, "dispatch"),
        "carrier": carrier,
        "tracking": number,
        "dispatched_at": now,
    }
    is_first = parcel.first_dispatched_at is None
    starts = {"first_dispatched_at": now, "due_at": clock.due_at(now)}
    changes = {**starts, "dispatch_by": None} if is_first else {}
    move_read(parcel, "dispatch", by_id=id_of(by), now=now, changes=changes, leg=leg_id)
    prepared.later(_SENT, sent)
    read_anew(Leg, leg_id)
    if is_first and parcel.has_open_proposal:
        closing.overtake_proposals(queries.get_trade(parcel.trade_id), now=now)
    _tell_of_dispatch(leg_id, parcel, is_first, now)
    return parcel.trade_id


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
    if not is_recipient and (is_party or not _may_help(leg, by)):
        if not by.may(Act.HELP_TRADES):
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


def _may_help(leg: Leg, by: Account) -> bool:
    two = (leg.sender_id, leg.recipient_id)
    return by.may(Act.HELP_TRADES) and queries.may_judge(by, two)


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


def _tell_of_dispatch(
    leg_id: int, parcel: queries.Sending, is_first: bool, now: datetime
) -> None:
    due_at = clock.due_at(now) if is_first else parcel.due_at
    assert due_at is not None
    sender, recipient = parcel.sender, parcel.recipient
    told = ((sender, recipient), (recipient, sender))
    facts = {
        "trade": parcel.trade_id,
        "sender": sender.handle,
        "due_at": due_at,
        "latest": clock.latest_sensible_dispatch(due_at),
    }
    tell_first(
        (
            Telling(
                person,
                f"trades/mail/{'first' if is_first else 'second'}_dispatch.txt",
                f"dispatch:{leg_id}:{person.id}:{now.isoformat()}",
                {**facts, "partner": partner.handle, "mine": person is sender},
            )
            for person, partner in told[0 if is_first else 1 :]
        ),
        now=now,
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
