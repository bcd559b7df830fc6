"""What comes next in a trade, for one of the two: one sentence, one deadline."""

from collections.abc import Iterator
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from tradeboard.core.records import dataclass
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import LegState, ProposalKind, TradeState


class Who(StrEnum):
    """Whose act a step is."""

    YOU = "you"
    PARTNER = "partner"
    MODERATOR = "moderator"
    TIME = "time"
    NOBODY = "nobody"


class Code(StrEnum):
    """What is to be done, or waited for."""

    ANSWER = "answer"
    WAIT_ANSWER = "wait_answer"
    SEAL = "seal"
    WAIT_SEAL = "wait_seal"
    SPEAK = "speak"
    WAIT_WORDS = "wait_words"
    CALL_CLOSED = "call_closed"
    SEND_FIRST = "send_first"
    SEND_SECOND = "send_second"
    CONFIRM = "confirm"
    SOLVE = "solve"
    ANSWER_EXTEND = "answer_extend"
    ANSWER_CANCEL = "answer_cancel"
    ANSWER_SETTLE = "answer_settle"
    WAIT_RECEIPT = "wait_receipt"
    WAIT_SEND = "wait_send"
    WAIT_SOLVE = "wait_solve"
    CHECKING = "checking"
    LATE_SEND = "late_send"
    LATE_CONFIRM = "late_confirm"
    LATE_WAIT = "late_wait"
    OVER = "over"


@dataclass(frozen=True)
class Parcel:
    """What counts of one parcel; `differs` as long as a difference is not solved."""

    state: LegState = LegState.NOT_SENT
    withheld: bool = False
    differs: bool = False


@dataclass(frozen=True)
class Asked:
    """What the partner proposed and this side has not answered."""

    kind: ProposalKind
    until: datetime | None = None


@dataclass(frozen=True)
class Facts:
    """A trade as one of the two sees it; `out` is the parcel that he sends."""

    state: TradeState
    now: datetime
    my_turn: bool = False
    answer_by: datetime | None = None
    call_by: datetime | None = None
    dispatch_by: datetime | None = None
    due_at: datetime | None = None
    sealed: bool = False
    partner_sealed: bool = False
    words_right: bool = False
    call_closed: bool = False
    out: Parcel = field(default_factory=Parcel)
    back: Parcel = field(default_factory=Parcel)
    asked: tuple[Asked, ...] = ()

    def limit(self) -> datetime | None:
        """Return the deadline of the state that the trade is in."""
        limits = {
            TradeState.NEGOTIATING: self.answer_by,
            TradeState.AGREED: self.call_by,
            TradeState.PHONE_CONFIRMED: self.dispatch_by,
            TradeState.SHIPPED: self.due_at,
        }
        return limits.get(self.state)


@dataclass(frozen=True)
class Step:
    """One thing to do, or to wait for, and before when."""

    code: Code
    deadline: datetime | None
    who: Who


def next_step(facts: Facts) -> Step:
    """Return what the one card at the top of a trade says."""
    return steps(facts)[0]


def own_steps(facts: Facts) -> list[Step]:
    """Return what awaits this person while the trade runs; an ended one asks nothing.

    What can still be done after the due instant waits for a parcel, not for a person.
    """
    if facts.state is TradeState.DEFAULTED:
        return []
    return [step for step in steps(facts) if step.who is Who.YOU]


def steps(facts: Facts) -> list[Step]:
    """List all steps, one's own before those that are waited for; never empty."""
    limit = facts.limit()
    if clock.is_over(limit, facts.now):
        return [Step(Code.CHECKING, limit, Who.TIME)]
    return [*_answers(facts), *_OF_STATE.get(facts.state, _ended)(facts)]


def is_due_soon(facts: Facts) -> bool:
    """Tell whether parcels are awaited and less than three days are left."""
    if facts.state is not TradeState.SHIPPED or facts.due_at is None:
        return False
    return facts.due_at - clock.SOON <= facts.now < facts.due_at


_ANSWERS = {
    ProposalKind.CANCEL: Code.ANSWER_CANCEL,
    ProposalKind.SETTLE: Code.ANSWER_SETTLE,
    ProposalKind.EXTEND: Code.ANSWER_EXTEND,
}


def _answers(facts: Facts) -> Iterator[Step]:
    for asked in facts.asked:
        if not clock.is_over(asked.until, facts.now):
            until = asked.until or facts.limit()
            yield Step(_ANSWERS[asked.kind], until, Who.YOU)


def _negotiating(facts: Facts) -> list[Step]:
    if facts.my_turn:
        return [Step(Code.ANSWER, facts.answer_by, Who.YOU)]
    return [Step(Code.WAIT_ANSWER, facts.answer_by, Who.PARTNER)]


def _agreed(facts: Facts) -> list[Step]:
    if facts.call_closed:
        return [Step(Code.CALL_CLOSED, facts.call_by, Who.MODERATOR)]
    if not facts.sealed:
        return [Step(Code.SEAL, facts.call_by, Who.YOU)]
    if not facts.partner_sealed:
        return [Step(Code.WAIT_SEAL, facts.call_by, Who.PARTNER)]
    if not facts.words_right:
        return [Step(Code.SPEAK, facts.call_by, Who.YOU)]
    return [Step(Code.WAIT_WORDS, facts.call_by, Who.PARTNER)]


def _confirmed(facts: Facts) -> list[Step]:
    return [Step(Code.SEND_FIRST, facts.dispatch_by, Who.YOU)]


def _shipped(facts: Facts) -> list[Step]:
    mine = [Step(code, facts.due_at, Who.YOU) for code in _mine(facts)]
    theirs = [Step(code, facts.due_at, Who.PARTNER) for code in _theirs(facts)]
    return mine + theirs or [Step(Code.CHECKING, facts.due_at, Who.TIME)]


def _mine(facts: Facts) -> Iterator[Code]:
    out, back = facts.out, facts.back
    coming = back.state is LegState.DISPATCHED
    to_send = out.state is LegState.NOT_SENT and not (out.withheld and coming)
    if back.differs:
        yield Code.SOLVE
    if to_send:
        yield Code.SEND_SECOND
    if coming and (not to_send or _is_near(facts)):
        yield Code.CONFIRM


def _theirs(facts: Facts) -> Iterator[Code]:
    if facts.out.state is LegState.DISPATCHED:
        yield Code.WAIT_RECEIPT
    if facts.back.state is LegState.NOT_SENT:
        yield Code.WAIT_SEND
    if facts.out.differs:
        yield Code.WAIT_SOLVE


def _is_near(facts: Facts) -> bool:
    """Tell whether the first notice before the due instant has been given."""
    if facts.due_at is None:
        return False
    return facts.now >= facts.due_at - max(clock.NOTICES)


def _defaulted(facts: Facts) -> list[Step]:
    found = []
    if facts.out.state is LegState.NOT_SENT:
        found.append(Step(Code.LATE_SEND, None, Who.YOU))
    if facts.back.state is not LegState.RECEIVED:
        found.append(Step(Code.LATE_CONFIRM, None, Who.YOU))
    if facts.out.state is LegState.DISPATCHED:
        found.append(Step(Code.LATE_WAIT, None, Who.PARTNER))
    return found or _ended(facts)


def _ended(_: Facts) -> list[Step]:
    return [Step(Code.OVER, None, Who.NOBODY)]


_OF_STATE = {
    TradeState.NEGOTIATING: _negotiating,
    TradeState.AGREED: _agreed,
    TradeState.PHONE_CONFIRMED: _confirmed,
    TradeState.SHIPPED: _shipped,
    TradeState.DEFAULTED: _defaulted,
}
