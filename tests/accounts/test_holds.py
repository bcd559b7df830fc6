"""Who is held for what, once for a pair; what ends a hold, and what does not."""

import pytest
from sqlalchemy import select

from tests.accounts.held import (
    AN_HOUR,
    CAUSE,
    UNTIL,
    decide,
    mails_to,
    make_device,
    make_sibling,
    seal,
    see,
    standing,
    the_hold,
    the_holds,
    watch_device,
    watch_number,
)
from tests.factories import A_MOMENT, MONDAY, count, make_account
from tests.races import race
from tradeboard.accounts import jobs, queries
from tradeboard.accounts.models import Device, DeviceUse, Hold, Restriction
from tradeboard.accounts.rules.holds import HoldDecision, Signal
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.accounts.services import closing, holds
from tradeboard.accounts.services import standing as standings
from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, NotFound, RuleBroken
from tradeboard.core.transaction import transaction

GOOD, HELD = Standing.GOOD, Standing.HELD


@pytest.fixture
def device(bob):
    """Bob is barred, and this is his browser."""
    device = make_device()
    watch_device(bob, device)
    return device


def audited():
    rows = select(AuditRow).order_by(AuditRow.seq)
    return [row.action for row in db.session.scalars(rows)]


def test_a_watched_browser_holds_for_72_hours(app, bob, device):
    dora = make_sibling()

    see(dora, device)

    hold = the_hold()
    assert (hold.account_id, hold.other_id) == (dora.id, bob.id)
    assert (hold.signal, hold.device_id) == (Signal.DEVICE, device.id)
    assert (hold.cause, hold.made_at, hold.until) == (CAUSE, MONDAY, UNTIL)
    assert (standing(dora), standing(bob)) == (HELD, GOOD)
    assert [row.until for row in queries.restrictions_of(dora.id)] == [UNTIL]
    assert (mails_to(dora), mails_to(bob)) == (["held"], [])
    assert audited() == ["restrict", "hold"]


def test_a_watched_number_holds_likewise(app, bob):
    watch_number(bob)
    dora = make_sibling()

    seal(dora)

    assert (the_hold().signal, the_hold().device_id) == (Signal.PHONE, None)
    assert (standing(dora), mails_to(dora)) == (HELD, ["held"])


def test_a_browser_or_number_that_nobody_watches_costs_one_statement(
    app, alice, device, statements
):
    other = make_device("D-0000-0002")
    alice_id, other_id = alice.id, other.id
    with transaction():
        alice, other = queries.get_account(alice_id), db.session.get(Device, other_id)
        with statements() as seen:
            holds.device_seen(alice, other, now=MONDAY)
        assert len(seen) == 1
        with statements() as seen:
            holds.number_sealed(alice, "+819012345678", now=MONDAY)
        assert len(seen) == 1

    assert the_holds() == []


def test_nobody_is_held_by_the_own_signals(app, bob, device):
    watch_number(bob)

    see(bob, device)
    seal(bob)

    assert the_holds() == []


def test_the_same_pair_holds_once(app, bob, device):
    watch_number(bob)
    dora = make_sibling()

    see(dora, device)
    see(dora, device, now=MONDAY + AN_HOUR)
    seal(dora)

    assert the_hold().until == UNTIL
    assert mails_to(dora) == ["held"]


def test_several_entries_of_one_person_make_one_hold(app, bob, device):
    watch_device(bob, device, cause="entry:2")
    dora = make_sibling()

    see(dora, device)

    assert the_hold().cause == CAUSE
    assert count(Restriction) == 1


def test_several_people_behind_one_browser_are_pairs_of_their_own(
    app, alice, bob, device
):
    watch_device(alice, device, cause="entry:2")
    dora = make_sibling()

    see(dora, device)

    assert {hold.other_id for hold in the_holds()} == {alice.id, bob.id}
    assert count(Restriction) == 2
    assert mails_to(dora) == ["held", "held"]


def test_a_hold_is_released_at_its_end_and_not_before(app, bob, device):
    dora = make_sibling()
    see(dora, device)

    assert jobs.release_holds(UNTIL - A_MOMENT) == 0
    assert standing(dora) is HELD
    assert jobs.release_holds(UNTIL) == 1
    assert standing(dora) is GOOD
    assert jobs.release_holds(UNTIL) == 0
    assert the_hold().ended_at == UNTIL
    assert mails_to(dora) == ["held", "hold_released"]


def test_the_job_of_restrictions_may_be_faster(app, bob, device):
    dora = make_sibling()
    see(dora, device)

    assert jobs.end_restrictions(UNTIL) == 1
    assert jobs.release_holds(UNTIL) == 1

    assert (standing(dora), mails_to(dora)) == (GOOD, ["held", "hold_released"])


def test_the_end_of_a_hold_leaves_other_causes(app, bob, device):
    dora = make_sibling()
    see(dora, device)
    with transaction():
        standings.restrict(dora.id, "entry:9", Standing.LISTED, now=MONDAY)

    jobs.release_holds(UNTIL)

    assert standing(dora) is Standing.LISTED


def test_who_has_left_is_written_to_no_more(app, bob, device):
    dora = make_sibling()
    see(dora, device)
    with transaction():
        closing.close(dora.id, now=MONDAY)

    assert jobs.release_holds(UNTIL) == 1
    assert (standing(dora), mails_to(dora)) == (Standing.CLOSED, ["held"])


def test_a_released_pair_alarms_no_more_in_either_direction(app, bob, device):
    dora = make_sibling()
    see(dora, device)
    jobs.release_holds(UNTIL)
    watch_device(dora, make_device("D-0000-0002"), cause="entry:2")

    see(dora, device, now=UNTIL + AN_HOUR)
    see(bob, db.session.scalars(select(Device)).all()[1], now=UNTIL + AN_HOUR)

    assert (len(the_holds()), standing(dora), standing(bob)) == (1, GOOD, GOOD)


@pytest.mark.parametrize("decision", ["unrelated", "allowed"])
def test_a_sibling_is_free_at_once_and_for_good(app, bob, moderator, device, decision):
    watch_number(bob)
    sibling = make_sibling()
    see(sibling, device)

    decide(the_hold(), decision, moderator)

    assert the_hold().ended_at == the_hold().decided_at == MONDAY + AN_HOUR
    assert (standing(sibling), mails_to(sibling)) == (GOOD, ["held", "hold_released"])

    see(sibling, device, now=UNTIL)
    seal(sibling, now=UNTIL)
    watch_number(sibling, cause="entry:2")
    seal(bob, now=UNTIL)
    assert (len(the_holds()), jobs.release_holds(UNTIL)) == (1, 0)
    assert (standing(sibling), standing(bob)) == (GOOD, GOOD)
    assert "decide hold" in audited()


def test_a_second_account_stays_held_to_the_end(app, bob, moderator, device):
    second = make_sibling("bob2")
    see(second, device)

    decide(the_hold(), "evasion", moderator)

    assert (standing(second), mails_to(second)) == (HELD, ["held"])
    assert the_hold().ended_at is None
    assert jobs.release_holds(UNTIL) == 1
    assert standing(second) is GOOD
    see(second, device, now=UNTIL)
    assert standing(second) is GOOD


def test_the_second_moderator_learns_who_decided_what(app, bob, moderator, device):
    other = make_account("mod2", role=Role.MODERATOR)
    see(make_sibling(), device)
    hold = the_hold()
    version = hold.version
    decide(hold, "unrelated", moderator)

    with pytest.raises(Conflict, match=r"mod.*関係なし.*家族の端末です"):
        decide(hold, "evasion", other, version=version)

    assert the_hold().decision is HoldDecision.UNRELATED


def test_only_staff_who_are_neither_of_the_two_decide(app, alice, bob, device):
    watched = make_account("mod3", role=Role.MODERATOR)
    watch_device(watched, device, cause="entry:2")
    dora = make_sibling()
    see(dora, device)

    for by in (alice, dora):
        with pytest.raises(NotAllowed):
            decide(the_holds()[0], "unrelated", by)
    with pytest.raises(NotAllowed):
        decide(the_holds()[1], "unrelated", watched)


def test_nobody_decides_what_is_over_or_has_changed(app, bob, moderator, device):
    dora = make_sibling()
    see(dora, device)
    version = the_hold().version
    with transaction():
        holds.state(the_hold().id, "弟の端末です。", by=dora, now=MONDAY)

    with pytest.raises(Conflict, match="先に変わりました"):
        decide(the_hold(), "unrelated", moderator, version=version)
    with pytest.raises(Conflict, match="終わっています"):
        decide(the_hold(), "unrelated", moderator, now=UNTIL)


@pytest.mark.parametrize("sentence", ["", " ", "あ" * 501])
def test_a_decision_needs_one_sentence(app, bob, moderator, device, sentence):
    see(make_sibling(), device)
    hold = the_hold()

    with pytest.raises(RuleBroken) as refused, transaction():
        holds.decide(
            hold.id,
            HoldDecision.UNRELATED,
            sentence,
            version=hold.version,
            by=moderator,
            now=MONDAY,
        )

    assert refused.value.field == "sentence"


def test_a_statement_is_kept_and_may_be_changed_until_it_is_decided(
    app, alice, bob, moderator, device
):
    dora = make_sibling()
    see(dora, device)
    hold_id = the_hold().id

    for words in ("弟の端末です。", "弟と共用の端末です。"):
        with transaction():
            holds.state(hold_id, words, by=dora, now=MONDAY + AN_HOUR)
    assert the_hold().statement == "弟と共用の端末です。"
    assert the_hold().stated_at == MONDAY + AN_HOUR
    for words in (" ", "あ" * 2001):
        with pytest.raises(RuleBroken), transaction():
            holds.state(hold_id, words, by=dora, now=MONDAY)
    with pytest.raises(NotFound), transaction():
        holds.state(hold_id, "ちがう人", by=alice, now=MONDAY)

    decide(the_hold(), "evasion", moderator)
    with pytest.raises(Conflict), transaction():
        holds.state(hold_id, "まだ何か", by=dora, now=MONDAY + AN_HOUR)
    assert the_hold().statement == "弟と共用の端末です。"


def test_a_shared_browser_makes_a_note_that_nobody_sees(app, bob, moderator, device):
    with transaction():
        holds.mark_shared(device.id, True, by=moderator, now=MONDAY)
    sibling = make_sibling()

    see(sibling, device)
    see(sibling, device, now=MONDAY + AN_HOUR)

    assert (the_hold().is_note, the_hold().made_at) == (True, MONDAY)
    assert (standing(sibling), mails_to(sibling)) == (GOOD, [])
    assert queries.open_holds_of(sibling.id) == []
    assert audited() == ["mark device", "note pair"]


def test_a_note_becomes_a_hold_by_a_signal_that_is_not_shared(app, bob, moderator):
    shared = make_device(shared=True)
    watch_device(bob, shared)
    watch_number(bob)
    dora = make_sibling()
    see(dora, shared)

    seal(dora, now=MONDAY + AN_HOUR)

    hold = the_hold()
    assert (hold.signal, hold.made_at) == (Signal.PHONE, MONDAY + AN_HOUR)
    assert hold.until == UNTIL + AN_HOUR
    assert (standing(dora), mails_to(dora)) == (HELD, ["held"])


def test_a_decided_note_becomes_no_hold(app, bob, moderator):
    shared = make_device(shared=True)
    watch_device(bob, shared)
    watch_number(bob)
    dora = make_sibling()
    see(dora, shared)

    decide(the_hold(), "allowed", moderator)
    seal(dora, now=MONDAY + AN_HOUR)

    assert (standing(dora), mails_to(dora)) == (GOOD, [])


def test_a_mark_is_staffs_and_can_be_taken_back(app, alice, moderator, device):
    with pytest.raises(NotAllowed), transaction():
        holds.mark_shared(device.id, True, by=alice, now=MONDAY)
    for shared in (True, False):
        with transaction():
            holds.mark_shared(device.id, shared, by=moderator, now=MONDAY)
        db.session.rollback()
        assert db.session.get(Device, device.id).shared is shared


def test_staff_are_noted_and_never_locked_out(app, bob, moderator, device):
    watch_number(bob)

    see(moderator, device)
    seal(moderator)

    assert the_hold().is_note
    assert standing(moderator) is GOOD


def test_a_hold_ends_with_the_entry_that_was_its_reason(app, bob, device):
    dora = make_sibling()
    see(dora, device)

    with transaction():
        holds.end_cause(bob.id, CAUSE, by_id=None, now=MONDAY + AN_HOUR)

    assert the_hold().ended_at == MONDAY + AN_HOUR
    assert (standing(dora), mails_to(dora)) == (GOOD, ["held", "hold_released"])


def test_a_hold_goes_on_for_another_entry_of_the_same_person(app, bob, device):
    watch_device(bob, device, cause="entry:2")
    watch_number(bob)
    watch_number(bob, cause="entry:3")
    dora, emil = make_sibling(), make_sibling("emil")
    see(dora, device)
    seal(emil)

    with transaction():
        holds.end_cause(bob.id, CAUSE, by_id=None, now=MONDAY + AN_HOUR)

    assert [hold.cause for hold in the_holds()] == ["entry:2", "entry:3"]
    assert (standing(dora), standing(emil)) == (HELD, HELD)


def test_the_end_of_an_entry_leaves_what_a_moderator_decided(
    app, bob, moderator, device
):
    dora = make_sibling()
    see(dora, device)
    decide(the_hold(), "evasion", moderator)

    with transaction():
        holds.end_cause(bob.id, CAUSE, by_id=None, now=MONDAY + AN_HOUR)

    assert (the_hold().ended_at, standing(dora)) == (None, HELD)


def test_a_note_whose_reason_ended_may_become_a_hold_for_a_new_one(app, bob):
    shared = make_device(shared=True)
    watch_device(bob, shared)
    dora = make_sibling()
    see(dora, shared)
    with transaction():
        holds.end_cause(bob.id, CAUSE, by_id=None, now=MONDAY + AN_HOUR)
    assert (the_hold().ended_at, mails_to(dora)) == (MONDAY + AN_HOUR, [])

    watch_number(bob, cause="entry:2")
    seal(dora, now=MONDAY + 2 * AN_HOUR)

    assert (the_hold().ended_at, the_hold().cause) == (None, "entry:2")
    assert standing(dora) is HELD


def test_two_at_once_make_one_hold(app, bob, device):
    dora = make_sibling()
    dora_id, device_id = dora.id, device.id

    def act():
        use = DeviceUse(account_id=dora_id, device_id=device_id, used_at=MONDAY)
        db.session.add(use)
        holds.device_seen(
            queries.get_account(dora_id),
            db.session.get_one(Device, device_id),
            now=MONDAY,
        )

    assert race(app, *[act] * 4) == ["done"] * 4
    assert (count(Hold), standing(dora), mails_to(dora)) == (1, HELD, ["held"])


def test_the_job_and_a_moderator_at_once_end_a_hold_once(app, bob, moderator, device):
    dora = make_sibling()
    see(dora, device)
    hold = the_hold()
    hold_id, version = hold.id, hold.version
    moderator_id = moderator.id

    def decided():
        holds.decide(
            hold_id,
            HoldDecision.UNRELATED,
            "家族の端末です。",
            version=version,
            by=queries.get_account(moderator_id),
            now=UNTIL - A_MOMENT,
        )

    outcomes = race(app, decided, lambda: holds.release(hold_id, now=UNTIL))

    assert sorted(outcomes) == ["Conflict", "done"]
    assert (standing(dora), mails_to(dora)) == (GOOD, ["held", "hold_released"])
