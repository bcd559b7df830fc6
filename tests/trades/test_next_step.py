from datetime import timedelta
from itertools import product

import pytest

from tests.factories import A_MOMENT, DUE, MONDAY
from tradeboard.trades.rules import next_step
from tradeboard.trades.rules.next_step import Asked, Code, Facts, Parcel, Step, Who
from tradeboard.trades.rules.states import (
    ENDED,
    RUNNING,
    LegState,
    ProposalKind,
    TradeState,
)

S, L = TradeState, LegState
NOW = MONDAY
LATER = MONDAY + timedelta(days=10)
PARCELS = [
    Parcel(state, withheld=withheld, differs=differs)
    for state in LegState
    for withheld in (False, True)
    for differs in (False, True)
]


def facts(state, **more):
    limits = dict.fromkeys(("answer_by", "call_by", "dispatch_by", "due_at"), LATER)
    return Facts(state=state, **({"now": NOW} | limits | more))


def every_fact():
    """All that one of the two can see, in every state and at every hour."""
    for state, now in product(TradeState, (NOW, LATER - A_MOMENT, LATER)):
        for flags in product((False, True), repeat=5):
            names = ("my_turn", "sealed", "partner_sealed", "words_right")
            more = dict(zip((*names, "call_closed"), flags, strict=True))
            yield facts(state, now=now, **more)
        for out, back in product(PARCELS, PARCELS):
            for asked in ((), (Asked(ProposalKind.EXTEND),)):
                for due in (LATER, None):
                    yield Facts(
                        state=state,
                        now=now,
                        due_at=due,
                        out=out,
                        back=back,
                        asked=asked,
                    )


def test_there_is_always_a_step_and_ones_own_come_first():
    for seen in every_fact():
        steps = next_step.steps(seen)
        whose = [step.who is Who.YOU for step in steps]
        assert steps
        assert whose == sorted(whose, reverse=True)
        assert next_step.next_step(seen) == steps[0]
        assert len({step.code for step in steps}) == len(steps)


def test_an_ended_trade_asks_nothing_of_anybody():
    for seen in every_fact():
        if seen.state in ENDED:
            assert next_step.own_steps(facts(seen.state, out=seen.out)) == []


def test_after_the_deadline_only_time_acts():
    for state in RUNNING:
        over = Facts(
            state=state,
            now=LATER,
            my_turn=True,
            answer_by=LATER,
            call_by=LATER,
            dispatch_by=LATER,
            due_at=LATER,
        )
        assert next_step.steps(over) == [Step(Code.CHECKING, LATER, Who.TIME)]


@pytest.mark.parametrize(
    ("seen", "code", "who"),
    [
        (facts(S.NEGOTIATING, my_turn=True), Code.ANSWER, Who.YOU),
        (facts(S.NEGOTIATING), Code.WAIT_ANSWER, Who.PARTNER),
        (facts(S.AGREED), Code.SEAL, Who.YOU),
        (facts(S.AGREED, partner_sealed=True), Code.SEAL, Who.YOU),
        (facts(S.AGREED, sealed=True), Code.WAIT_SEAL, Who.PARTNER),
        (facts(S.AGREED, sealed=True, partner_sealed=True), Code.SPEAK, Who.YOU),
        (
            facts(S.AGREED, sealed=True, partner_sealed=True, words_right=True),
            Code.WAIT_WORDS,
            Who.PARTNER,
        ),
        (facts(S.AGREED, call_closed=True), Code.CALL_CLOSED, Who.MODERATOR),
        (facts(S.PHONE_CONFIRMED), Code.SEND_FIRST, Who.YOU),
        (
            facts(S.SHIPPED, back=Parcel(L.DISPATCHED)),
            Code.SEND_SECOND,
            Who.YOU,
        ),
        (
            facts(S.SHIPPED, out=Parcel(withheld=True), back=Parcel(L.DISPATCHED)),
            Code.CONFIRM,
            Who.YOU,
        ),
        (
            facts(S.SHIPPED, out=Parcel(withheld=True), back=Parcel(L.RECEIVED)),
            Code.SEND_SECOND,
            Who.YOU,
        ),
        (
            facts(S.SHIPPED, out=Parcel(L.DISPATCHED), back=Parcel(L.DISPATCHED)),
            Code.CONFIRM,
            Who.YOU,
        ),
        (
            facts(S.SHIPPED, out=Parcel(L.DISPATCHED), back=Parcel(L.RECEIVED)),
            Code.WAIT_RECEIPT,
            Who.PARTNER,
        ),
        (facts(S.SHIPPED, out=Parcel(L.RECEIVED)), Code.WAIT_SEND, Who.PARTNER),
        (
            facts(
                S.SHIPPED,
                due_at=None,
                out=Parcel(L.RECEIVED),
                back=Parcel(L.RECEIVED, differs=True),
            ),
            Code.SOLVE,
            Who.YOU,
        ),
        (
            facts(
                S.SHIPPED,
                due_at=None,
                out=Parcel(L.RECEIVED, differs=True),
                back=Parcel(L.RECEIVED),
            ),
            Code.WAIT_SOLVE,
            Who.PARTNER,
        ),
        (facts(S.DEFAULTED, back=Parcel(L.RECEIVED)), Code.LATE_SEND, Who.YOU),
        (facts(S.DEFAULTED, out=Parcel(L.RECEIVED)), Code.LATE_CONFIRM, Who.YOU),
        (
            facts(S.DEFAULTED, out=Parcel(L.DISPATCHED), back=Parcel(L.RECEIVED)),
            Code.LATE_WAIT,
            Who.PARTNER,
        ),
        (facts(S.RECEIVED), Code.OVER, Who.NOBODY),
        (facts(S.CANCELLED), Code.OVER, Who.NOBODY),
    ],
)
def test_each_state_has_one_next_step(seen, code, who):
    step = next_step.next_step(seen)

    assert (step.code, step.who) == (code, who)


@pytest.mark.parametrize("kind", list(ProposalKind))
def test_a_proposal_waits_for_its_answer_before_all_else(kind):
    seen = facts(S.SHIPPED, asked=(Asked(kind, NOW + timedelta(days=3)),))

    assert next_step.next_step(seen).code == f"answer_{kind}"
    assert next_step.next_step(seen).deadline == NOW + timedelta(days=3)


def test_silence_that_has_agreed_is_asked_no_more():
    seen = facts(S.AGREED, asked=(Asked(ProposalKind.CANCEL, NOW),))

    assert next_step.next_step(seen).code is Code.SEAL


def test_an_arrival_is_asked_for_beside_the_dispatch_from_a_week_before():
    early = Facts(S.SHIPPED, DUE - timedelta(days=7) - A_MOMENT, due_at=DUE)
    near = Facts(S.SHIPPED, DUE - timedelta(days=7), due_at=DUE)
    coming = {"back": Parcel(L.DISPATCHED)}

    def codes(seen):
        whole = Facts(seen.state, seen.now, due_at=DUE, **coming)
        return [step.code for step in next_step.own_steps(whole)]

    assert codes(early) == [Code.SEND_SECOND]
    assert codes(near) == [Code.SEND_SECOND, Code.CONFIRM]


def test_the_last_three_days_are_due_soon():
    soon = DUE - timedelta(days=3)

    assert next_step.is_due_soon(Facts(S.SHIPPED, soon, due_at=DUE))
    assert not next_step.is_due_soon(Facts(S.SHIPPED, soon - A_MOMENT, due_at=DUE))
    assert not next_step.is_due_soon(Facts(S.SHIPPED, soon))
    assert not next_step.is_due_soon(Facts(S.AGREED, soon, due_at=DUE))
