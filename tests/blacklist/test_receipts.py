"""Goods that came after all, and entries that time moves."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from tests.blacklist.cases import (
    A_DAY,
    both_sent,
    contest,
    do,
    entry_of,
    listed,
    mails,
    never_sent,
    receive,
    uphold,
    withhold,
)
from tests.factories import A_MOMENT, DUE, MONDAY, count, make_account
from tests.races import race
from tests.worlds import make_trade
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.accounts.services import standing as standings
from tradeboard.audit import queries as audit
from tradeboard.blacklist import jobs, queries
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry, EntryDevice, Evidence
from tradeboard.blacklist.rules.entries import EntryState, LiftReason
from tradeboard.blacklist.services import receipts, review, sweeping
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, NotFound, RuleBroken
from tradeboard.trades import queries as trades
from tradeboard.trades.rules.states import LegState, TradeState
from tradeboard.trades.services import overdue

LATER = DUE + 2 * A_DAY


def confirm(trade, sender, *, arrived_at, now=LATER, by=None):
    leg = trades.get_trade(trade.id).leg_from(sender.id)
    by = by or leg.recipient
    return do(receipts.confirm_late, leg.id, arrived_at=arrived_at, by=by, now=now)


def person(account):
    db.session.rollback()
    return db.session.get(Account, account.id)


@pytest.mark.parametrize("upheld", [False, True])
def test_what_came_in_time_is_as_if_it_had_never_been_public(
    alice, bob, moderator, upheld
):
    trade = both_sent(alice, bob)
    receive(trade, alice)
    sweep_overdue_trades(DUE)
    if upheld:
        uphold(entry_of(bob), moderator, now=DUE + A_DAY)

    confirm(trade, bob, arrived_at=DUE - A_MOMENT)

    entry = entry_of(bob)
    assert entry.state is EntryState.LIFTED
    assert entry.lift_reason is LiftReason.RECEIVED_IN_TIME
    assert person(bob).standing is Standing.GOOD
    assert person(bob).late_count == 0
    assert queries.answer_for(handle="bob", now=LATER).status == "none"
    assert "lifted" in mails(bob)


def test_confirming_late_is_noted_for_the_recipient_alone(alice, bob):
    trade = both_sent(alice, bob)
    receive(trade, alice)
    sweep_overdue_trades(DUE)

    confirm(trade, bob, arrived_at=DUE - A_MOMENT)

    (row,) = audit.rows_about(f"account:{alice.id}")
    assert (row.action, row.actor_id) == ("confirm late", alice.id)
    assert db.session.scalars(select(Evidence.kind)).all() == ["confirmed_late"]


def test_what_came_late_is_lifted_the_first_time(alice, bob):
    trade = never_sent(alice, bob)
    sweep_overdue_trades(DUE)

    confirm(trade, bob, arrived_at=DUE)

    entry = entry_of(bob)
    assert entry.lift_reason is LiftReason.CURED_LATE
    assert person(bob).standing is Standing.GOOD
    assert person(bob).late_count == 1


def test_the_second_time_a_moderator_decides(alice, bob, charlie, moderator):
    first = never_sent(alice, bob)
    sweep_overdue_trades(DUE)
    confirm(first, bob, arrived_at=DUE)
    second = never_sent(charlie, bob, at=MONDAY + A_DAY)
    sweep_overdue_trades(DUE + A_DAY)

    confirm(second, bob, arrived_at=DUE + A_DAY)

    entry = entry_of(bob, second)
    assert entry.state is EntryState.LISTED
    assert person(bob).standing is Standing.LISTED
    kinds = select(Evidence.kind).where(Evidence.entry_id == entry.id)
    assert db.session.scalars(kinds).all() == ["arrived_late"]
    assert queries.review_queue(now=DUE + A_DAY)[0].id == entry.id


def test_a_second_arrival_in_time_is_lifted_all_the_same(alice, bob, charlie):
    first = never_sent(alice, bob)
    sweep_overdue_trades(DUE)
    confirm(first, bob, arrived_at=DUE)
    second = both_sent(charlie, bob)
    receive(second, charlie)
    sweep_overdue_trades(DUE)

    confirm(second, bob, arrived_at=DUE - A_MOMENT)

    assert entry_of(bob, second).state is EntryState.LIFTED


@pytest.mark.parametrize("mark", [contest, withhold])
def test_a_held_entry_is_lifted_too(alice, bob, mark):
    if mark is contest:
        trade, sender = both_sent(alice, bob), alice
        receive(trade, bob)
    else:
        trade, sender = make_trade(alice, bob, sent_by=[alice]), bob
    mark(trade, sender)
    sweep_overdue_trades(DUE)
    assert person(sender).standing is Standing.HELD

    confirm(trade, sender, arrived_at=DUE + timedelta(hours=1))

    assert entry_of(sender, trade).state is EntryState.LIFTED
    assert person(sender).standing is Standing.GOOD


def test_late_is_late_although_the_sweep_has_not_come(alice, bob):
    trade = both_sent(alice, bob)
    receive(trade, alice)

    confirm(trade, bob, arrived_at=DUE - A_DAY, now=DUE)

    entry = entry_of(bob)
    assert entry.state is EntryState.LIFTED
    assert trades.get_trade(trade.id).state is TradeState.DEFAULTED
    assert mails(bob) == ["listed", "lifted"]
    assert sweep_overdue_trades(DUE + A_DAY).done == 0


def test_before_the_due_instant_nothing_is_late(alice, bob):
    trade = both_sent(alice, bob)

    with pytest.raises(Conflict):
        confirm(trade, bob, arrived_at=DUE - A_DAY, now=DUE - A_MOMENT)
    assert count(Entry) == 0


def test_only_the_recipient_confirms(alice, bob, charlie, moderator):
    trade = never_sent(alice, bob)
    sweep_overdue_trades(DUE)

    with pytest.raises(NotAllowed):
        confirm(trade, bob, arrived_at=DUE, by=bob)
    for stranger in (charlie, moderator):
        with pytest.raises(NotFound):
            confirm(trade, bob, arrived_at=DUE, by=stranger)


def test_nothing_arrives_in_the_future_or_before_the_call(alice, bob):
    trade = never_sent(alice, bob)
    sweep_overdue_trades(DUE)

    for arrived_at in (LATER + A_MOMENT, MONDAY - 2 * A_DAY):
        with pytest.raises(RuleBroken):
            confirm(trade, bob, arrived_at=arrived_at)
    assert entry_of(bob).state is EntryState.LISTED


def test_a_late_dispatch_leaves_the_entry_until_the_receipt(alice, bob):
    trade = never_sent(alice, bob)
    sweep_overdue_trades(DUE)
    leg = trades.get_trade(trade.id).leg_from(bob.id)

    do(overdue.dispatch_late, leg.id, carrier="none", tracking="", by=bob, now=LATER)

    assert entry_of(bob).state is EntryState.LISTED
    assert trades.get_leg(leg.id).state is LegState.DISPATCHED
    confirm(trade, bob, arrived_at=LATER + A_DAY, now=LATER + A_DAY)
    assert entry_of(bob).state is EntryState.LIFTED


@pytest.mark.parametrize("round", range(3))
def test_of_sweep_and_late_confirmation_at_once_both_have_one_outcome(
    app, alice, bob, round
):
    trade = both_sent(alice, bob)
    receive(trade, alice)
    leg_id, trade_id, by_id = trade.leg_from(bob.id).id, trade.id, alice.id

    def late():
        by = db.session.get(Account, by_id)
        receipts.confirm_late(leg_id, arrived_at=DUE - A_DAY, by=by, now=DUE)

    def swept():
        sweeping.list_or_hold(trade_id, now=DUE)

    ends = race(app, late, swept)

    assert set(ends) <= {"done", "Conflict"}
    assert "done" in ends
    assert count(Entry) == 1
    assert mails(bob)[0] == "listed"
    lifted = entry_of(bob).state is EntryState.LIFTED
    assert lifted == (ends[0] == "done")


@pytest.mark.parametrize("round", range(3))
def test_of_a_moderator_and_the_recipient_at_once_nobody_is_lost(
    app, alice, bob, moderator, round
):
    trade = both_sent(alice, bob)
    receive(trade, alice)
    sweep_overdue_trades(DUE)
    entry = entry_of(bob)
    entry_id, version = entry.id, entry.version
    leg_id, alice_id, judge_id = trade.leg_from(bob.id).id, alice.id, moderator.id

    def late():
        by = db.session.get(Account, alice_id)
        receipts.confirm_late(leg_id, arrived_at=DUE - A_DAY, by=by, now=LATER)

    def upheld():
        by = db.session.get(Account, judge_id)
        reason = review.UpholdReason.RECORD
        review.uphold(entry_id, version, reason, "記録による", by=by, now=LATER)

    ends = race(app, late, upheld)

    assert ends[0] == "done"
    assert ends[1] in {"done", "Conflict"}
    assert entry_of(bob).lift_reason is LiftReason.RECEIVED_IN_TIME
    assert person(bob).standing is Standing.GOOD


def withheld(alice, bob):
    trade = make_trade(alice, bob, sent_by=[alice])
    withhold(trade, bob)
    sweep_overdue_trades(DUE)
    return entry_of(bob)


def test_a_withheld_entry_is_listed_after_seven_days(alice, bob):
    entry = withheld(alice, bob)

    assert jobs.list_withheld(DUE + 7 * A_DAY - A_MOMENT).done == 0
    assert jobs.list_withheld(DUE + 7 * A_DAY).done == 1
    assert jobs.list_withheld(DUE + 8 * A_DAY).done == 0

    db.session.expire_all()
    assert entry.state is EntryState.LISTED
    assert person(bob).standing is Standing.LISTED
    assert mails(bob) == ["partner_default", "held", "listed"]


def test_a_decided_one_is_left_alone(alice, bob, moderator):
    uphold(withheld(alice, bob), moderator, now=DUE + A_DAY)

    assert jobs.list_withheld(DUE + 7 * A_DAY).done == 0


def test_a_claimed_delivery_stays_held_when_its_restriction_ends(alice, bob):
    trade = both_sent(alice, bob)
    receive(trade, bob)
    contest(trade, alice)
    sweep_overdue_trades(DUE)
    (restriction,) = standings.queries.restrictions_of(alice.id)

    do(standings.end_restriction, restriction.id, now=DUE + 7 * A_DAY)

    assert person(alice).standing is Standing.GOOD
    assert jobs.list_withheld(DUE + 30 * A_DAY).done == 0
    assert entry_of(alice).state is EntryState.HELD
    assert queries.count_waiting(DUE + 7 * A_DAY).red == 1


def test_ninety_days_undecided_are_lifted(alice, bob):
    both_sent(alice, bob)
    sweep_overdue_trades(DUE)

    assert jobs.lift_undecided(DUE + 90 * A_DAY - A_MOMENT).done == 0
    assert jobs.lift_undecided(DUE + 90 * A_DAY).done == 2

    assert entry_of(bob).lift_reason is LiftReason.UNDECIDED
    assert mails(bob) == ["partner_default", "held", "lifted"]


@pytest.mark.parametrize("upheld", [False, True])
def test_an_entry_expires_after_730_days(alice, bob, moderator, upheld):
    entry = listed(alice, bob)
    since = DUE
    if upheld:
        since = DUE + 10 * A_DAY
        uphold(entry, moderator, now=since)

    assert jobs.expire_entries(since + 730 * A_DAY - A_MOMENT).done == 0
    assert jobs.expire_entries(since + 730 * A_DAY).done == 1

    db.session.expire_all()
    assert entry.state is EntryState.EXPIRED
    assert (entry.handle, entry.email_hash, entry.facts) == ("", None, {})
    assert (entry.phone_hashes, count(EntryDevice)) == ([], 0)
    assert entry.finding == "never_dispatched"
    assert person(bob).standing is Standing.GOOD
    assert mails(bob)[-1] == "expired"
    assert queries.answer_for(handle="bob", now=LATER).status == "none"


def test_two_standing_entries_stay_for_1825_days(alice, bob, charlie):
    listed(alice, bob)
    listed(charlie, bob)

    assert jobs.expire_entries(DUE + 1825 * A_DAY - A_MOMENT).done == 0
    assert jobs.expire_entries(DUE + 1825 * A_DAY).done == 2


def test_admins_are_told_once_of_what_nobody_looked_at(alice, bob):
    admin = make_account("boss", role=Role.ADMIN)
    listed(alice, bob)

    assert jobs.warn_of_unreviewed(DUE + 14 * A_DAY - A_MOMENT).done == 0
    assert jobs.warn_of_unreviewed(DUE + 14 * A_DAY).done == 1
    assert jobs.warn_of_unreviewed(DUE + 15 * A_DAY).done == 0

    assert mails(admin) == ["unreviewed"]
