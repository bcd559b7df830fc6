"""The sweep: who is entered at the due instant, and as what."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from tests.blacklist.cases import (
    A_DAY,
    both_sent,
    contest,
    do,
    entries,
    entry_of,
    listed,
    mails,
    never_sent,
    receive,
    use_device,
    withhold,
)
from tests.factories import A_MOMENT, DUE, MONDAY, count, make_account
from tests.races import race
from tests.worlds import dispatch, make_trade
from tradeboard.accounts.models import Account, Restriction
from tradeboard.accounts.rules.standing import Standing
from tradeboard.audit.models import AuditRow
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry, EntryDevice
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.services import sweeping
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.listings.models import Line
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.rules.states import Condition, ProposalKind, TradeState
from tradeboard.trades.services import overdue, proposals, shipping

HELD, LISTED = EntryState.HELD, EntryState.LISTED
JST = timedelta(hours=9)


def jst(*parts):
    return datetime(*parts, tzinfo=UTC) - JST


def standing(person):
    db.session.rollback()
    return db.session.get(Account, person.id).standing


def test_who_never_sent_is_listed_at_the_due_instant(alice, bob):
    trade = never_sent(alice, bob)

    swept = sweep_overdue_trades(DUE)

    assert (swept.done, swept.failed) == (1, 0)
    assert swept.results == [[entry_of(bob).id]]
    assert entries() == {("bob", LISTED, Finding.NEVER_DISPATCHED)}
    assert (standing(alice), standing(bob)) == (Standing.GOOD, Standing.LISTED)
    assert trades.get_trade(trade.id).state is TradeState.DEFAULTED


def test_a_withheld_parcel_is_held_and_restricts_until_decided(alice, bob):
    trade = make_trade(alice, bob, sent_by=[alice])
    withhold(trade, bob)

    sweep_overdue_trades(DUE)

    assert ("bob", HELD, Finding.WITHHELD) in entries()
    assert ("alice", HELD, Finding.COUNTERPARTY_IN_DEFAULT) in entries()
    assert (standing(alice), standing(bob)) == (Standing.GOOD, Standing.HELD)
    assert entry_of(bob).list_at == DUE + 7 * A_DAY
    assert db.session.scalars(select(Restriction.until)).all() == [None]


def test_an_untracked_parcel_that_did_not_come_is_listed(alice, bob):
    trade = both_sent(alice, bob, tracking=None)
    receive(trade, alice)

    sweep_overdue_trades(DUE)

    assert entries() == {("bob", LISTED, Finding.NOT_RECEIVED_UNTRACKED)}


def test_a_tracked_parcel_that_did_not_come_is_listed(alice, bob):
    trade = both_sent(alice, bob)
    receive(trade, alice)

    sweep_overdue_trades(DUE)

    assert entries() == {("bob", LISTED, Finding.NOT_RECEIVED_TRACKED)}


def test_a_delivery_claimed_in_time_is_held_for_at_most_seven_days(alice, bob):
    trade = both_sent(alice, bob)
    receive(trade, bob)
    contest(trade, alice)

    sweep_overdue_trades(DUE)

    assert entries() == {("alice", HELD, Finding.CONTESTED)}
    assert standing(alice) is Standing.HELD
    assert db.session.scalars(select(Restriction.until)).all() == [DUE + 7 * A_DAY]


def test_a_claim_after_the_due_instant_holds_nothing(alice, bob):
    trade = both_sent(alice, bob)
    receive(trade, bob)

    with pytest.raises(Conflict):
        contest(trade, alice, now=DUE + timedelta(minutes=1))
    sweep_overdue_trades(DUE + timedelta(minutes=2))

    assert entries() == {("alice", LISTED, Finding.NOT_RECEIVED_TRACKED)}


def test_silence_on_both_sides_is_held_and_bars_nobody(alice, bob):
    both_sent(alice, bob)

    sweep_overdue_trades(DUE)

    held = (HELD, Finding.COUNTERPARTY_IN_DEFAULT)
    assert entries() == {("alice", *held), ("bob", *held)}
    assert (standing(alice), standing(bob)) == (Standing.GOOD, Standing.GOOD)


def test_a_claim_of_one_leaves_the_other_in_default(alice, bob):
    trade = both_sent(alice, bob)
    contest(trade, alice)

    sweep_overdue_trades(DUE)

    assert entries() == {
        ("alice", HELD, Finding.COUNTERPARTY_IN_DEFAULT),
        ("bob", LISTED, Finding.NOT_RECEIVED_TRACKED),
    }


def test_only_one_shipped_and_the_other_never_did(alice, bob):
    make_trade(alice, bob, sent_by=[alice])

    sweep_overdue_trades(DUE)

    assert entries() == {
        ("alice", HELD, Finding.COUNTERPARTY_IN_DEFAULT),
        ("bob", LISTED, Finding.NEVER_DISPATCHED),
    }
    assert standing(alice) is Standing.GOOD


def test_a_trade_in_which_nobody_sent_has_no_clock_and_no_entry(alice, bob):
    make_trade(alice, bob)

    assert sweep_overdue_trades(DUE + 365 * A_DAY).done == 0
    assert entries() == set()


def test_a_difference_stops_the_clock(alice, bob):
    trade = both_sent(alice, bob)
    receive(trade, alice, now=DUE - A_DAY)
    receive(trade, bob, now=DUE - A_DAY, condition=Condition.DIFFERS)

    assert sweep_overdue_trades(DUE + A_DAY).done == 0
    assert entries() == set()


@pytest.mark.parametrize(
    ("first", "due"),
    [
        (jst(2026, 12, 1, 14), jst(2026, 12, 15, 14)),
        (jst(2026, 12, 31, 23, 59, 59), jst(2027, 1, 14, 23, 59, 59)),
        (jst(2028, 2, 16), jst(2028, 3, 1)),
        (
            datetime(2026, 10, 25, 16, tzinfo=UTC),
            datetime(2026, 11, 8, 16, tzinfo=UTC),
        ),
    ],
    ids=["december", "new year", "leap day", "New York"],
)
def test_never_early_and_at_once_at_the_due_instant(alice, bob, first, due):
    trade = make_trade(alice, bob, sent_by=[alice], at=first)
    assert trade.due_at == due

    assert sweep_overdue_trades(due - A_MOMENT).done == 0
    assert entries() == set()

    assert sweep_overdue_trades(due).done == 1
    assert entry_of(bob).due_at == due


def test_an_extension_moves_the_clock_for_both_parcels(alice, bob):
    trade = make_trade(alice, bob, sent_by=[alice])
    proposal = do(
        proposals.propose,
        trade.id,
        ProposalKind.EXTEND,
        "",
        by=bob,
        now=DUE - 2 * A_DAY,
    )
    do(proposals.answer, proposal.id, agree=True, by=alice, now=DUE - A_DAY)

    assert sweep_overdue_trades(DUE + 7 * A_DAY - A_MOMENT).done == 0
    assert sweep_overdue_trades(DUE + 7 * A_DAY).done == 1


def test_the_second_run_does_nothing(alice, bob):
    listed(alice, bob)
    before = (entries(), count(OutboxMail), count(AuditRow))

    assert sweep_overdue_trades(DUE + 30 * A_DAY).done == 0
    assert (entries(), count(OutboxMail), count(AuditRow)) == before


def test_after_thirty_days_off_each_is_found_once(alice, bob, charlie):
    for number in range(3):
        make_trade(
            (alice, bob, charlie)[number],
            (bob, charlie, alice)[number],
            sent_by=[(alice, bob, charlie)[number]],
            at=MONDAY + number * A_DAY,
        )

    swept = sweep_overdue_trades(DUE + 30 * A_DAY)

    assert swept.done == 3
    assert count(Entry) == 6
    for person in (alice, bob, charlie):
        assert sorted(mails(person)) == [
            "held",
            "listed",
            "partner_default",
            "partner_default",
        ]


def test_a_poison_trade_stops_no_other_and_waits_longer(alice, bob, monkeypatch):
    poison = make_trade(alice, bob, sent_by=[alice])
    make_trade(alice, bob, sent_by=[alice])
    real = overdue.move_all

    def move_all(trades, event, **rest):
        if poison.id in {trade.id for trade in trades}:
            raise LookupError("a poison row")
        real(trades, event, **rest)

    monkeypatch.setattr(overdue, "move_all", move_all)

    swept = sweep_overdue_trades(DUE)
    assert (swept.done, swept.failed) == (1, 1)
    assert sweep_overdue_trades(DUE).failed == 0

    monkeypatch.setattr(overdue, "move_all", real)
    assert sweep_overdue_trades(DUE + timedelta(hours=1)).done == 1
    assert count(Entry) == 4


def test_a_full_batch_is_followed_by_another(alice, bob, monkeypatch):
    monkeypatch.setattr("tradeboard.blacklist.jobs.BATCH", 2)
    for _ in range(5):
        make_trade(alice, bob, sent_by=[alice])

    assert sweep_overdue_trades(DUE).done == 5


def test_four_runs_at_once_list_once(app, alice, bob):
    trade = never_sent(alice, bob)
    db.session.rollback()

    def run(_):
        with app.app_context():
            return sweep_overdue_trades(DUE).done

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(run, range(4))) == 1

    assert [e.trade_id for e in db.session.scalars(select(Entry))] == [trade.id]
    assert mails(bob) == ["listed"]
    assert mails(alice) == ["partner_default"]


@pytest.mark.parametrize("round", range(5))
def test_of_sweep_and_receipt_at_once_exactly_one_wins(app, alice, bob, round):
    trade = both_sent(alice, bob)
    receive(trade, bob)
    leg, trade_id = trade.leg_from(alice.id), trade.id

    def receipt():
        shipping.confirm_receipt(
            leg_id,
            arrived_on=trades.day_in_japan(DUE),
            condition=Condition.AS_AGREED,
            words="",
            by=db.session.get(Account, bob_id),
            now=DUE - A_MOMENT,
        )

    leg_id, bob_id = leg.id, bob.id
    ends = race(app, receipt, lambda: sweeping.list_or_hold(trade_id, now=DUE) and None)

    assert sorted(ends) == ["Conflict", "done"]
    state = trades.get_trade(trade_id).state
    if ends[0] == "done":
        assert (state, count(Entry)) == (TradeState.RECEIVED, 0)
    else:
        assert (state, count(Entry)) == (TradeState.DEFAULTED, 1)


def test_goods_that_came_after_the_sweep_had_chosen_are_spared(alice, bob):
    trade = both_sent(alice, bob)
    for sender in (alice, bob):
        receive(trade, sender)

    with pytest.raises(Conflict):
        do(sweeping.list_or_hold, trade.id, now=DUE)

    assert entries() == set()


def test_whoever_loses_a_race_with_several_trades_takes_each_alone(
    alice, bob, overtake
):
    make_trade(alice, bob, sent_by=[alice])
    make_trade(alice, bob, sent_by=[alice])

    overtake()

    assert sweep_overdue_trades(DUE).done == 2
    assert sweep_overdue_trades(DUE).done == 0
    assert count(Entry) == 4


def test_only_devices_between_agreement_and_due_instant_are_listed(alice, bob):
    for days, code in ((-3, "D-0000-SOLD"), (1, "D-1111-KEPT"), (15, "D-2222-NEW0")):
        use_device(bob, code, MONDAY + days * A_DAY)
    use_device(bob, "D-1111-KEPT", MONDAY + 2 * A_DAY)
    use_device(alice, "D-3333-HERS", MONDAY + A_DAY)

    entry = listed(alice, bob)

    codes = db.session.scalars(
        select(EntryDevice.code).where(EntryDevice.entry_id == entry.id)
    )
    assert codes.all() == ["D-1111-KEPT"]


def test_an_entry_keeps_the_facts_and_keyed_hashes(alice, bob):
    trade = make_trade(alice, bob, sent_by=[alice, bob], tracking="4444-1375-8703")
    receive(trade, alice)

    sweep_overdue_trades(DUE)

    entry = entry_of(bob)
    assert entry.email_hash == bob.email_key
    assert [phone["kid"] for phone in entry.phone_hashes] == ["k1"]
    assert entry.facts["terms"] == 1
    assert entry.facts["tracking"] == "444413758703"
    assert entry.facts["messages"]["count"] == 0
    assert len(entry.facts["messages"]["sha256"]) == 64
    assert entry.facts["contents"] == [{"name": "紅蓮の騎士", "quantity": 1}]


def test_a_later_name_leaves_the_entry_as_it_was(alice, bob):
    listed(alice, bob)
    do(lambda: setattr(db.session.get(Account, bob.id), "handle", "robert"))

    assert entry_of(bob).handle == "bob"


def test_the_partner_is_told_how_to_confirm_a_late_arrival(alice, bob):
    listed(alice, bob)

    assert mails(bob) == ["listed"]
    assert mails(alice) == ["partner_default"]


def test_only_the_parcel_that_never_left_makes_cards_free_again(alice, bob):
    trade = make_trade(alice, bob, sent_by=[bob])

    sweep_overdue_trades(DUE)

    (card, _) = (
        db.session.scalars(select(Trade).where(Trade.id == trade.id))
        .one()
        .offers[-1]
        .lines
    )
    assert db.session.get(Line, card.line_id).free == 1
    assert entries() == {
        ("alice", LISTED, Finding.NEVER_DISPATCHED),
        ("bob", HELD, Finding.COUNTERPARTY_IN_DEFAULT),
    }


def test_a_second_dispatch_does_not_move_the_clock(alice, bob):
    trade = make_trade(alice, bob, sent_by=[alice])
    dispatch(trade.id, bob, at=MONDAY + 10 * A_DAY)

    assert sweep_overdue_trades(DUE).done == 1


def test_ten_trades_take_as_many_statements_as_two(alice, statements):
    def swept(first, last):
        for n in range(first, last):
            never_sent(alice, make_account(f"late{n}"))
        db.session.rollback()
        with statements() as seen:
            assert sweep_overdue_trades(DUE).done == last - first
        # SQLAlchemy checks each version alone, and SQLite numbers each row alone.
        each = ("INSERT", "UPDATE trade", "UPDATE listing")
        return len([one for one in seen if not one.startswith(each)])

    swept(0, 2)

    assert swept(2, 12) == swept(12, 14)
