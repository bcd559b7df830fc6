"""Entries watch for their people while they are public, and not a moment longer."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from tests.accounts.held import mails_to, see, standing, the_hold, the_holds
from tests.blacklist.cases import (
    A_DAY,
    do,
    entry_of,
    lift,
    listed,
    make_trade,
    receive,
    uphold,
    use_device,
    withhold,
)
from tests.factories import A_MOMENT, DUE, MONDAY, count, make_account
from tests.races import race
from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account, Device, Watch
from tradeboard.accounts.rules.holds import Signal
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import holds
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.services import hand, receipts, review, timed
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.findings import Finding

GOOD, HELD, LISTED = Standing.GOOD, Standing.HELD, Standing.LISTED
AN_HOUR = timedelta(hours=1)
CODE = "D-0000-0001"
NUMBER = "+819012340001"  # Bob's, as he proposes


@pytest.fixture
def bobs_device(alice, bob):
    """Bob wrote from it between the agreement and the due instant."""
    use_device(bob, CODE, MONDAY)
    return db.session.scalars(select(Device)).one()


def watched():
    """Return what is watched for: (cause, signal), in order."""
    db.session.rollback()
    rows = db.session.scalars(select(Watch).order_by(Watch.cause, Watch.signal))
    return [(row.cause, row.signal.value) for row in rows]


def all_of(entry):
    return [(f"entry:{entry.id}", signal) for signal in ("device", "mailbox", "phone")]


def seal(person, *, now, number=NUMBER):
    person_id = person.id
    with transaction():
        holds.number_sealed(accounts.get_account(person_id), number, now=now)


def test_a_listed_person_is_watched_for_by_everything_known(alice, bob, bobs_device):
    entry = listed(alice, bob)

    assert watched() == all_of(entry)
    rows = {row.signal: row for row in db.session.scalars(select(Watch))}
    assert {row.account_id for row in rows.values()} == {bob.id}
    assert rows[Signal.DEVICE].device_id == bobs_device.id
    assert rows[Signal.MAILBOX].hash == bob.email_key
    confirmed_at = MONDAY - A_DAY
    assert rows[Signal.PHONE].until == confirmed_at + timedelta(days=365)


def test_a_number_whose_call_was_not_confirmed_is_not_watched(
    alice, bob, bobs_device, moderator
):
    trade = make_trade(alice, bob)
    with transaction():
        db.session.execute(update(Trade).values(phone_confirmed_at=None))

    do(
        hand.list_by_hand,
        bob.id,
        Finding.BY_HAND,
        trade.id,
        "送り状の写しがあります。",
        "荷物は空でした。",
        by=moderator,
        now=MONDAY,
    )

    assert [signal for _, signal in watched()] == ["mailbox"]


def test_who_is_listed_without_a_trade_is_watched_for_by_the_mailbox(bob, moderator):
    do(
        hand.list_by_hand,
        bob.id,
        Finding.BY_HAND,
        None,
        "登録を避けるための二つ目のアカウントです。",
        "同じ人です。",
        by=moderator,
        now=MONDAY,
    )

    assert [signal for _, signal in watched()] == ["mailbox"]
    assert accounts.watched_mailbox("bob@example.com", now=MONDAY).account_id == bob.id


def test_a_held_entry_watches_for_nobody_until_it_is_public(
    alice, bob, bobs_device, moderator
):
    trade = make_trade(alice, bob, sent_by=[alice])
    withhold(trade, bob)
    sweep_overdue_trades(DUE)
    assert watched() == []
    with transaction():
        db.session.get_one(Account, bob.id).email_key = "a new mailbox"

    uphold(entry_of(bob), moderator, now=DUE + A_DAY)

    name = f"entry:{entry_of(bob).id}"
    mailboxes = [(name, "mailbox")] * 2
    assert watched() == [(name, "device"), *mailboxes, (name, "phone")]


def test_a_withheld_entry_watches_once_the_job_lists_it(alice, bob, bobs_device):
    trade = make_trade(alice, bob, sent_by=[alice])
    withhold(trade, bob)
    sweep_overdue_trades(DUE)

    do(timed.list_withheld, entry_of(bob).id, now=DUE + 7 * A_DAY)

    assert watched() == all_of(entry_of(bob))


def test_upholding_what_is_public_watches_nothing_twice(
    alice, bob, bobs_device, moderator
):
    entry = listed(alice, bob)

    uphold(entry, moderator, now=DUE + A_DAY)

    assert watched() == all_of(entry)


def test_a_lifted_entry_stops_watching_and_frees_whom_it_held(
    alice, bob, bobs_device, moderator
):
    entry = listed(alice, bob)
    dora = make_account("dora")
    see(dora, bobs_device, now=DUE + AN_HOUR)
    assert (standing(dora), standing(bob)) == (HELD, LISTED)

    lift(entry, moderator, now=DUE + 2 * AN_HOUR)

    assert (watched(), the_hold().ended_at) == ([], DUE + 2 * AN_HOUR)
    assert (standing(dora), standing(bob)) == (GOOD, GOOD)
    assert mails_to(dora) == ["held", "hold_released"]


def test_an_expired_entry_stops_watching(alice, bob, bobs_device):
    entry = listed(alice, bob)
    entry_id, at = entry.id, entry.expires_at

    do(timed.expire, entry_id, now=at)

    assert watched() == []


def test_a_receipt_that_lifts_frees_a_sibling_too(alice, bob, bobs_device):
    trade = make_trade(alice, bob, sent_by=[alice, bob])
    receive(trade, alice, now=MONDAY + A_DAY)
    sweep_overdue_trades(DUE)
    assert standing(bob) is LISTED
    dora = make_account("dora")
    see(dora, bobs_device, now=DUE + AN_HOUR)

    do(
        receipts.confirm_late,
        trade.leg_from(bob.id).id,
        arrived_at=DUE - A_DAY,
        by=alice,
        now=DUE + 2 * AN_HOUR,
    )

    assert all(cause != f"entry:{entry_of(bob).id}" for cause, _ in watched())
    assert standing(dora) is GOOD


def test_two_entries_make_one_hold_that_lasts_as_long_as_either(
    alice, bob, charlie, bobs_device, moderator
):
    first_id = listed(alice, bob).id
    use_device(bob, CODE, MONDAY + AN_HOUR)
    second_id = listed(charlie, bob, at=MONDAY + AN_HOUR).id
    dora = make_account("dora")
    see(dora, bobs_device, now=DUE + A_DAY)
    assert the_hold().cause == f"entry:{first_id}"

    lift(db.session.get(Entry, first_id), moderator, now=DUE + A_DAY)
    assert (the_hold().cause, standing(dora)) == (f"entry:{second_id}", HELD)

    lift(entry_of(bob), moderator, now=DUE + A_DAY + AN_HOUR)
    assert standing(dora) is GOOD


@pytest.mark.parametrize("name", ["bob2", "sibling"])
def test_a_number_holds_within_a_year_of_its_call(alice, bob, name):
    listed(alice, bob)
    person = make_account(name)
    a_year = MONDAY - A_DAY + timedelta(days=365)

    seal(person, now=a_year)
    assert the_holds() == []
    seal(person, now=a_year - A_MOMENT)
    assert (the_hold().signal, standing(person)) == (Signal.PHONE, HELD)


def test_the_listed_person_and_the_partner_are_not_held(alice, bob, bobs_device):
    listed(alice, bob)

    see(bob, bobs_device, now=DUE + AN_HOUR)
    seal(bob, now=DUE + AN_HOUR)

    assert the_holds() == []
    assert (standing(alice), standing(bob)) == (GOOD, LISTED)


def test_lifting_and_seeing_at_once_leave_nobody_barred_for_ever(
    app, alice, bob, bobs_device, moderator
):
    entry = listed(alice, bob)
    entry_id, version = entry.id, entry.version
    dora_id, device_id = make_account("dora").id, bobs_device.id
    moderator_id = moderator.id

    def lifted():
        review.lift_by_moderator(
            entry_id,
            version,
            review.LiftReason.ERROR,
            "配達が確かめられました。",
            by=accounts.get_account(moderator_id),
            now=DUE + AN_HOUR,
        )

    def seen():
        holds.device_seen(
            accounts.get_account(dora_id),
            db.session.get_one(Device, device_id),
            now=DUE + AN_HOUR,
        )

    assert race(app, lifted, seen) == ["done", "done"]
    assert (watched(), standing(bob)) == ([], GOOD)
    for hold in the_holds():
        assert hold.ended_at or hold.until == DUE + AN_HOUR + timedelta(hours=72)
    assert count(Watch) == 0
