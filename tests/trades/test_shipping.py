from datetime import date

import pytest

from tests.factories import A_MOMENT, MONDAY
from tests.trades.stages import (
    CALLED_AT,
    DAY,
    DUE,
    HOUR,
    UNTRACKED,
    Stage,
)
from tests.trades.test_negotiation import copies, mails
from tradeboard.audit.queries import rows_about
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.trades import jobs, queries
from tradeboard.trades.models import Proof
from tradeboard.trades.rules.states import Condition, LegState, TradeState
from tradeboard.trades.services import marks, overdue, phone, proposals, shipping


def contest(stage, person, now, delivered_on=None):
    day = delivered_on or queries.day_in_japan(now)
    return marks.contest(stage.leg(person), delivered_on=day, by=person, now=now)


def test_nobody_dispatches_before_the_call_is_confirmed(write, alice, bob):
    stage = Stage(alice, bob).revealed()

    with pytest.raises(Conflict):
        stage.send(alice)


def test_the_first_dispatch_starts_the_clock_and_the_second_leaves_it(
    write, alice, bob
):
    stage = Stage(alice, bob).shipped()
    assert (stage.trade.first_dispatched_at, stage.trade.due_at) == (MONDAY, DUE)

    stage.send(bob, DUE - A_MOMENT)

    assert (stage.trade.first_dispatched_at, stage.trade.due_at) == (MONDAY, DUE)
    assert mails("first_dispatch") == [alice.email, bob.email]
    assert mails("second_dispatch") == [alice.email]


def test_a_parcel_is_dispatched_once(write, alice, bob):
    stage = Stage(alice, bob).shipped()

    with pytest.raises(Conflict):
        stage.send(alice, MONDAY + HOUR)


def test_a_wrong_check_digit_is_no_reason_to_refuse(write, alice, bob):
    stage = Stage(alice, bob).phone_confirmed()

    stage.send(
        alice, way={"carrier": "yamato", "tracking": "４４４４－１３７５－８７０４"}
    )

    assert stage.trade.leg_from(alice.id).tracking == "444413758704"


@pytest.mark.parametrize(
    ("way", "field"),
    [
        ({"carrier": "", "tracking": "1"}, "carrier"),
        ({"carrier": "yamato", "tracking": " "}, "tracking"),
        ({"carrier": "yamato", "tracking": "1" * 41}, "tracking"),
    ],
)
def test_a_dispatch_names_its_way(write, alice, bob, way, field):
    stage = Stage(alice, bob).phone_confirmed()

    with pytest.raises(RuleBroken) as refusal:
        stage.send(alice, way=way)

    assert refusal.value.field == field


def test_both_receipts_end_the_trade_and_both_records_grow(write, alice, bob):
    stage = Stage(alice, bob).received()

    assert stage.trade.state is TradeState.RECEIVED
    assert copies(stage.listing.id) == (0, 1)
    for person in (alice, bob):
        assert (person.completed_count, person.partner_count) == (1, 1)
        assert (person.on_time_count, person.ended_count) == (1, 1)
    assert mails("all_received") == [alice.email, bob.email]


def test_a_receipt_does_not_wait_for_the_other_parcel(write, alice, bob):
    stage = Stage(alice, bob).shipped()

    stage.receive(bob)

    assert stage.trade.leg_from(alice.id).state is LegState.RECEIVED
    assert stage.trade.state is TradeState.SHIPPED
    assert stage.trade.due_at == DUE


@pytest.mark.parametrize("day", [date(2026, 5, 31), date(2026, 6, 6)])
def test_a_parcel_arrives_after_its_dispatch_and_not_in_the_future(
    write, alice, bob, day
):
    stage = Stage(alice, bob).shipped()

    with pytest.raises(RuleBroken) as refusal:
        shipping.confirm_receipt(
            stage.leg(alice),
            arrived_on=day,
            condition=Condition.AS_AGREED,
            words="",
            by=bob,
            now=MONDAY + 3 * DAY,
        )

    assert refusal.value.field == "arrived_on"


def test_what_differs_is_said_in_words(write, alice, bob):
    stage = Stage(alice, bob).both_shipped()

    with pytest.raises(RuleBroken) as refusal:
        stage.receive(bob, differs=" ")

    assert refusal.value.field == "words"


def test_a_difference_stops_the_clock_until_it_is_solved(write, alice, bob, moderator):
    stage = Stage(alice, bob).differing()

    assert (stage.trade.state, stage.trade.due_at) == (TradeState.SHIPPED, None)
    assert alice.completed_count == 0
    assert mails("differs") == [alice.email]
    assert mails("differs_staff") == [moderator.email]

    shipping.solve(stage.leg(alice), by=bob, now=MONDAY + 20 * DAY)

    assert stage.trade.state is TradeState.RECEIVED
    assert alice.completed_count == 1


def test_a_difference_solved_early_leaves_the_clock_running(write, alice, bob):
    stage = Stage(alice, bob).both_shipped()
    stage.receive(bob, differs="角に折れ")

    shipping.solve(stage.leg(alice), by=bob, now=MONDAY + 4 * DAY)
    assert (stage.trade.state, stage.trade.due_at) == (TradeState.SHIPPED, DUE)

    stage.receive(alice, MONDAY + 5 * DAY)
    assert stage.trade.state is TradeState.RECEIVED


def test_a_delivery_is_contested_from_two_days_after_the_dispatch_on(write, alice, bob):
    stage = Stage(alice, bob).shipped()

    with pytest.raises(RuleBroken):
        contest(stage, alice, MONDAY + 2 * DAY - A_MOMENT)
    contest(stage, alice, MONDAY + 2 * DAY)

    assert mails("contested") == [bob.email]


def test_a_contest_takes_a_checked_number_or_a_photo(write, alice, bob):
    stage = Stage(alice, bob).shipped(UNTRACKED)
    now = MONDAY + 3 * DAY

    with pytest.raises(RuleBroken) as refusal:
        contest(stage, alice, now)
    assert refusal.value.field == "photo"

    leg = stage.trade.leg_from(alice.id)
    leg.proofs.append(
        Proof(
            id="p1",
            by_id=alice.id,
            purpose="delivery",
            width=1,
            height=1,
            added_at=now,
        )
    )
    contest(stage, alice, now)


def test_a_number_that_fails_its_check_proves_nothing(write, alice, bob):
    wrong = {"carrier": "yamato", "tracking": "4444-1375-8704"}
    stage = Stage(alice, bob).shipped(wrong)

    with pytest.raises(RuleBroken):
        contest(stage, alice, MONDAY + 3 * DAY)


def test_withholding_waits_for_a_parcel_that_is_on_its_way(write, alice, bob):
    stage = Stage(alice, bob).shipped()
    marks.withhold(stage.leg(bob), by=bob, now=MONDAY + DAY)

    assert mails("withheld") == [alice.email]

    other = Stage(bob, alice).shipped()
    other.receive(alice, MONDAY + DAY)
    with pytest.raises(RuleBroken):
        marks.withhold(other.leg(alice), by=alice, now=MONDAY + 2 * DAY)


def test_undoing_the_only_dispatch_stops_the_clock(write, alice, bob):
    stage = Stage(alice, bob).shipped()

    marks.undo_dispatch(stage.leg(alice), by=alice, now=MONDAY + HOUR - A_MOMENT)

    assert stage.trade.state is TradeState.PHONE_CONFIRMED
    assert (stage.trade.first_dispatched_at, stage.trade.due_at) == (None, None)
    assert stage.trade.leg_from(alice.id).state is LegState.NOT_SENT
    assert stage.trade.dispatch_by == stage.trade.phone_confirmed_at + 7 * DAY


def test_a_dispatch_stays_after_an_hour_or_when_the_partner_relied_on_it(
    write, alice, bob
):
    stage = Stage(alice, bob).shipped()
    leg = stage.leg(alice)
    with pytest.raises(Conflict):
        marks.undo_dispatch(leg, by=alice, now=MONDAY + HOUR)

    stage.send(bob, MONDAY + HOUR / 2)

    with pytest.raises(Conflict):
        marks.undo_dispatch(leg, by=alice, now=MONDAY + HOUR - A_MOMENT)
    undone_at = MONDAY + HOUR
    marks.undo_dispatch(stage.leg(bob), by=bob, now=undone_at)
    assert (stage.trade.state, stage.trade.due_at) == (TradeState.SHIPPED, DUE)


def test_a_dispatch_that_has_been_received_cannot_be_undone(write, alice, bob):
    stage = Stage(alice, bob).shipped()
    stage.receive(bob, MONDAY + A_MOMENT)

    with pytest.raises(Conflict):
        marks.undo_dispatch(stage.leg(alice), by=alice, now=MONDAY + 2 * A_MOMENT)

    assert stage.trade.state is TradeState.SHIPPED


def test_the_receipt_that_ended_a_trade_cannot_be_undone(write, alice, bob):
    stage = Stage(alice, bob).one_received()
    marks.undo_receipt(stage.leg(alice), by=bob, now=MONDAY + 3 * DAY + HOUR / 2)
    assert stage.trade.leg_from(alice.id).state is LegState.DISPATCHED

    stage.receive(bob)
    stage.receive(alice)

    with pytest.raises(Conflict):
        marks.undo_receipt(stage.leg(bob), by=alice, now=MONDAY + 3 * DAY)


def test_undoing_the_last_receipt_that_differed_starts_the_clock_again(
    write, alice, bob
):
    stage = Stage(alice, bob).differing()

    marks.undo_receipt(stage.leg(bob), by=alice, now=MONDAY + 3 * DAY + HOUR / 2)

    assert stage.trade.due_at == DUE


def test_a_receipt_stays_in_the_last_two_days(write, alice, bob):
    stage = Stage(alice, bob).both_shipped()
    last = DUE - 2 * DAY
    stage.receive(bob, last - HOUR / 2)
    leg = stage.leg(alice)

    with pytest.raises(Conflict):
        marks.undo_receipt(leg, by=bob, now=last)
    marks.undo_receipt(leg, by=bob, now=last - A_MOMENT)

    stage.receive(bob, DUE - HOUR / 2)
    with pytest.raises(Conflict):
        marks.undo_receipt(leg, by=bob, now=DUE)


def test_an_agreed_extension_moves_the_one_clock_at_most_twice(write, alice, bob):
    stage = Stage(alice, bob).shipped()
    for number in (1, 2):
        asked = stage.propose("extend", bob, MONDAY + number * DAY)
        with pytest.raises(NotAllowed):
            proposals.answer(asked, agree=True, by=bob, now=MONDAY + 3 * DAY)
        proposals.answer(asked, agree=True, by=alice, now=MONDAY + 3 * DAY)
        assert stage.trade.due_at == DUE + number * 7 * DAY

    with pytest.raises(Conflict):
        stage.propose("extend", bob, MONDAY + 4 * DAY)


def test_an_extension_is_agreed_before_the_due_instant_or_not_at_all(write, alice, bob):
    stage = Stage(alice, bob).shipped()
    asked = stage.propose("extend", bob, DUE - HOUR)

    with pytest.raises(Conflict):
        proposals.answer(asked, agree=True, by=alice, now=DUE)


def test_a_cancellation_by_consent_gives_the_copies_back(write, alice, bob):
    stage = Stage(alice, bob).phone_confirmed()
    asked = stage.propose("cancel", bob, CALLED_AT)

    proposals.answer(asked, agree=True, by=alice, now=CALLED_AT + HOUR)

    assert stage.trade.state is TradeState.CANCELLED
    assert copies(stage.listing.id) == (1, 0)
    assert (alice.late_count, alice.cancelled_count) == (0, 1)


def test_after_a_dispatch_both_alone_end_it_and_before_the_due_instant(
    committed, alice, bob
):
    """Scenario 17."""
    stage = Stage(alice, bob)
    committed(stage.shipped)
    with pytest.raises(Conflict):
        committed(lambda: stage.propose("cancel", bob, MONDAY + DAY))
    asked = committed(lambda: stage.propose("settle", bob, MONDAY + DAY, "返します"))

    def agree(at):
        committed(lambda: proposals.answer(asked, agree=True, by=alice, now=at))

    assert jobs.settle_silent_proposals(MONDAY + 5 * DAY).done == 0
    with pytest.raises(Conflict):
        agree(DUE)
    agree(DUE - A_MOMENT)

    assert stage.trade.state is TradeState.CANCELLED
    assert (alice.late_count, bob.late_count) == (0, 0)


def test_three_days_of_silence_agree_to_a_cancellation(committed, alice, bob):
    stage = Stage(alice, bob)
    committed(stage.agreed)
    asked_at = stage.trade.agreed_at + HOUR
    committed(lambda: stage.propose("cancel", bob, asked_at))

    assert jobs.settle_silent_proposals(asked_at + 3 * DAY - A_MOMENT).done == 0
    assert jobs.settle_silent_proposals(asked_at + 3 * DAY).done == 1
    assert jobs.settle_silent_proposals(asked_at + 4 * DAY).done == 0
    assert stage.trade.state is TradeState.CANCELLED


def test_a_dispatch_overtakes_a_cancellation_that_was_proposed(write, alice, bob):
    stage = Stage(alice, bob).phone_confirmed()
    asked = stage.propose("cancel", bob, CALLED_AT)

    stage.send(alice)

    with pytest.raises(Conflict):
        proposals.answer(asked, agree=True, by=alice, now=MONDAY + HOUR)


def test_a_settlement_is_in_writing_and_by_both(write, alice, bob):
    stage = Stage(alice, bob).both_shipped()
    with pytest.raises(RuleBroken):
        stage.propose("settle", bob, MONDAY + 4 * DAY)

    asked = stage.propose("settle", bob, MONDAY + 4 * DAY, "互いに送り返します")
    proposals.answer(asked, agree=True, by=alice, now=MONDAY + 5 * DAY)

    assert stage.trade.state is TradeState.CANCELLED
    assert alice.cancelled_count == 0


def test_seven_days_without_any_dispatch_cancel_and_blame_nobody(committed, alice, bob):
    stage = Stage(alice, bob)
    committed(stage.phone_confirmed)
    limit = CALLED_AT + 7 * DAY

    assert jobs.cancel_quiet_trades(limit - A_MOMENT).done == 0
    assert jobs.cancel_quiet_trades(limit).done == 1
    assert jobs.cancel_quiet_trades(limit).done == 0
    assert stage.trade.state is TradeState.CANCELLED
    assert copies(stage.listing.id) == (1, 0)


def test_after_a_default_only_what_never_left_becomes_free(write, alice, bob):
    sent = Stage(alice, bob).defaulted()
    kept = Stage(bob, alice).phone_confirmed()
    kept.send(alice)
    overdue.default(kept.id, now=DUE)

    assert copies(sent.listing.id) == (0, 1)
    assert copies(kept.listing.id) == (1, 0)


def test_a_default_stands_on_the_record_of_who_never_sent(write, alice, bob):
    Stage(alice, bob).defaulted()

    assert (bob.late_count, bob.ended_count) == (1, 1)
    assert alice.late_count == 0


def test_a_late_parcel_that_came_in_time_leaves_no_mark(write, alice, bob):
    stage = Stage(alice, bob).both_shipped(UNTRACKED)
    stage.receive(alice)
    overdue.default(stage.id, now=DUE)
    assert alice.late_count == 1

    overdue.confirm_late(
        stage.leg(alice), arrived_at=DUE - A_MOMENT, by=bob, now=DUE + DAY
    )

    assert alice.late_count == 0


def test_numbers_are_masked_and_addresses_gone_from_view_at_the_end(write, alice, bob):
    stage = Stage(alice, bob).received()

    assert stage.trade.numbers_until == stage.trade.ended_at + 30 * DAY
    with pytest.raises(Conflict):
        phone.seal(stage.id, "090-3123-4567", "JP", "どこか遠い町", by=alice, now=DUE)


def test_a_moderator_who_closes_a_difference_is_audited(write, alice, bob, moderator):
    stage = Stage(alice, bob).differing()

    shipping.solve(stage.leg(alice), by=moderator, now=MONDAY + 20 * DAY)
    db.session.flush()

    (row,) = rows_about(f"trade:{stage.id}")[-1:]
    assert (row.action, row.actor_id) == ("solve difference", moderator.id)
    assert stage.trade.state is TradeState.RECEIVED
