"""Each row of the rules about entries has a test; those that had none have it here."""

import ast
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests import pages
from tests.blacklist.cases import (
    A_DAY,
    appeal,
    both_sent,
    contest,
    do,
    entry_of,
    lift,
    listed,
    mails,
    receive,
    uphold,
    withhold,
)
from tests.factories import A_MOMENT, DUE
from tests.trades.stages import Stage, try_all
from tests.trades.test_table import ALLOWED, TALK
from tests.worlds import make_trade
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import standing as standings
from tradeboard.accounts.services import suspension
from tradeboard.blacklist import queries
from tradeboard.blacklist.jobs import (
    expire_entries,
    hide_overdue_appeals,
    sweep_overdue_trades,
)
from tradeboard.blacklist.rules.entries import EntryState, LiftReason, UpholdReason
from tradeboard.blacklist.services import appeals, receipts, review, timed
from tradeboard.core.db import db, writing
from tradeboard.core.errors import Refusal
from tradeboard.core.transaction import transaction
from tradeboard.trades import queries as trades
from tradeboard.trades.services import messages

TESTS = Path(__file__).parents[1]
HERE = "blacklist/test_rows_of_the_rules.py"
SWEEP, RECEIPTS = "blacklist/test_sweep.py", "blacklist/test_receipts.py"
REVIEW, APPEALS = "blacklist/test_review.py", "blacklist/test_appeals.py"
PAGES, LOOK_UP = "blacklist/test_appeal_pages.py", "blacklist/test_look_up.py"
CLOCK, CALL = "trades/test_clock.py", "trades/test_call.py"
CLOSE, HOLDS = "profiles/test_close.py", "accounts/test_holds.py"

NONE, PUBLIC, APPEALED = WORDS = ("登録なし", "登録あり", "異議申し立て中")
A_STATE = f"{HERE} test_a_state_allows_exactly_these_events"

# How an entry moves, what follows from it, and what the public is answered.
MOVES = {
    "the sweep lists or holds, and sets the standing": f"""
        {SWEEP} test_who_never_sent_is_listed_at_the_due_instant
        {SWEEP} test_a_withheld_parcel_is_held_and_restricts_until_decided
        {SWEEP} test_an_untracked_parcel_that_did_not_come_is_listed
        {SWEEP} test_a_tracked_parcel_that_did_not_come_is_listed
        {SWEEP} test_a_delivery_claimed_in_time_is_held_for_at_most_seven_days
        {SWEEP} test_silence_on_both_sides_is_held_and_bars_nobody""",
    "a moderator lists by hand": f"""
        {REVIEW} test_a_moderator_lists_by_hand_with_evidence
        {REVIEW} test_nobody_is_listed_by_hand_without_evidence_and_sentence
        {REVIEW} test_a_party_or_a_member_lists_nobody""",
    "a moderator upholds": f"""
        {A_STATE}
        {REVIEW} test_upholding_lets_it_stand_for_two_years
        {REVIEW} test_upholding_a_held_entry_is_its_publication
        {REVIEW} test_a_party_cannot_decide""",
    "seven days list what is withheld": f"""
        {A_STATE}
        {RECEIPTS} test_a_withheld_entry_is_listed_after_seven_days""",
    "ninety days lift what is held": f"""
        {A_STATE}
        {RECEIPTS} test_ninety_days_undecided_are_lifted""",
    "a moderator lifts": f"""
        {A_STATE}
        {REVIEW} test_lifting_ends_what_the_entry_barred
        {REVIEW} test_moderators_cannot_use_the_reasons_of_time""",
    "it came in time": f"""
        {A_STATE}
        {RECEIPTS} test_what_came_in_time_is_as_if_it_had_never_been_public
        {RECEIPTS} test_confirming_late_is_noted_for_the_recipient_alone""",
    "it came later": f"""
        {A_STATE}
        {RECEIPTS} test_what_came_late_is_lifted_the_first_time
        {RECEIPTS} test_the_second_time_a_moderator_decides""",
    "it expires": f"""
        {A_STATE}
        {RECEIPTS} test_an_entry_expires_after_730_days
        {RECEIPTS} test_two_standing_entries_stay_for_1825_days
        {RECEIPTS} test_admins_are_told_once_of_what_nobody_looked_at""",
    "an appeal is overdue": f"""
        {A_STATE}
        {APPEALS} test_overdue_appeals_hide_the_facts_once
        {PAGES} test_an_overdue_appeal_shows_no_facts_to_others""",
    "who appeals, and how often": f"""
        {A_STATE}
        {APPEALS} test_nobody_but_the_person_appeals_and_only_what_is_public
        {APPEALS} test_the_same_words_wait_for_180_days_and_new_ones_do_not
        {APPEALS} test_a_mailed_link_appeals_once_and_older_ones_stay_good
        {PAGES} test_a_signed_in_person_appeals_with_pictures""",
    "who decides an appeal, and what follows": f"""
        {APPEALS} test_who_may_decide_is_a_table_without_holes
        {APPEALS} test_who_upheld_decides_where_there_is_nobody_else
        {APPEALS} test_a_granted_appeal_lifts_the_entry
        {APPEALS} test_a_refused_appeal_lets_the_entry_stand""",
    "each cause has its own restriction": f"""
        {HERE} test_an_entry_takes_back_its_own_restriction_alone
        {REVIEW} test_lifting_one_entry_leaves_the_others
        blacklist/test_rules.py test_the_strongest_cause_is_the_standing""",
    "a late receipt is confirmed on the entry's page": """
        blacklist/test_pages.py test_the_recipient_confirms_that_it_came_in_time
        blacklist/test_pages.py test_late_receipts_are_the_recipients_and_late""",
    "exact look-up by name and code": f"""
        {LOOK_UP} test_a_listed_person_is_found_by_name_and_by_device
        {LOOK_UP} test_spellings_and_codes_sent_as_a_name_find_it_too
        {LOOK_UP} test_old_names_and_new_ones_resolve
        {LOOK_UP} test_near_misses_are_answered_none""",
    "four answers": f"""
        {HERE} test_the_answers_are_these
        {LOOK_UP} test_none_is_no_guarantee
        {LOOK_UP} test_what_could_not_be_checked_is_not_answered_none
        {LOOK_UP} test_the_page_says_so_too""",
    "what is never shown": f"""
        {LOOK_UP} test_held_lifted_and_expired_entries_are_never_shown
        {LOOK_UP} test_the_page_shows_what_the_public_may_know""",
    "members browse": f"{LOOK_UP} test_members_browse_the_list_newest_first",
}

EDGES = {
    "both shipped, one arrived":
        f"{SWEEP} test_an_untracked_parcel_that_did_not_come_is_listed",
    "one shipped, nothing is confirmed": f"""
        {SWEEP} test_only_one_shipped_and_the_other_never_did
        {HERE} test_who_waits_for_the_other_side_is_freed_by_any_proof""",
    "contested two hours before":
        f"{SWEEP} test_a_delivery_claimed_in_time_is_held_for_at_most_seven_days",
    "withheld in time": f"""
        {SWEEP} test_a_withheld_parcel_is_held_and_restricts_until_decided
        {RECEIPTS} test_a_withheld_entry_is_listed_after_seven_days""",
    "nothing marked": f"""
        {SWEEP} test_only_one_shipped_and_the_other_never_did
        {CLOCK} test_notices_are_due_seven_three_and_one_day_before""",
    "no address": f"""
        {CALL} test_without_an_address_nobody_seals
        {CALL} test_seven_days_without_a_call_cancel_and_blame_nobody""",
    "seven more days":
        f"{SWEEP} test_an_extension_moves_the_clock_for_both_parcels",
    "it differs": f"""
        {SWEEP} test_a_difference_stops_the_clock
        trades/test_shipping.py test_a_difference_stops_the_clock_until_it_is_solved""",
    "contested a minute after":
        f"{SWEEP} test_a_claim_after_the_due_instant_holds_nothing",
    "confirmed at the due instant": f"""
        {RECEIPTS} test_late_is_late_although_the_sweep_has_not_come
        trades/test_table.py test_from_its_deadline_on_only_time_acts""",
    "sweep and receipt at once":
        f"{SWEEP} test_of_sweep_and_receipt_at_once_exactly_one_wins",
    "said to have come in time":
        f"{RECEIPTS} test_what_came_in_time_is_as_if_it_had_never_been_public",
    "thirty days off": f"{SWEEP} test_after_thirty_days_off_each_is_found_once",
    "renamed": f"""
        {LOOK_UP} test_old_names_and_new_ones_resolve
        profiles/test_rename.py test_a_running_trade_keeps_the_name
        profiles/test_rename.py test_a_standing_entry_keeps_the_name""",
    "closed while listed": f"""
        {CLOSE} test_a_standing_entry_stays_with_its_name_and_devices
        {PAGES} test_whoever_has_left_appeals_by_the_link
        privacy/test_erasure.py test_an_account_is_erased_thirty_days_after_closing_once
        privacy/test_erasure.py
            test_an_erased_person_answers_by_the_mailed_link_and_is_not_listed_anew""",
    "the same mailbox again": """
        accounts/test_registration.py
            test_a_listed_mailbox_gets_the_same_answer_and_a_mail_of_its_own""",
    "a sibling on a listed device": f"""
        {HOLDS} test_a_watched_browser_holds_for_72_hours
        {HOLDS} test_a_hold_is_released_at_its_end_and_not_before
        accounts/test_hold_pages.py test_both_mails_name_neither_person_nor_entry""",
    "other trades of a listed person": f"""
        {HERE} test_who_is_barred_finishes_what_runs_and_so_does_the_partner
        accounts/test_hold_pages.py test_the_partner_sees_that_somebody_is_listed""",
    "a partner is suspended":
        f"{HERE} test_who_is_barred_finishes_what_runs_and_so_does_the_partner",
    "the last copy": """
        trades/test_negotiation.py
            test_two_acceptances_of_the_last_copy_at_once_let_one_win""",
    "a double click": """
        trades/test_views_shipping.py test_each_button_pressed_twice_has_one_effect
        blacklist/test_desk_entry.py
            test_a_decision_is_reviewed_with_its_mail_and_then_happens_once""",
    "two moderators": f"""
        {REVIEW} test_the_second_moderator_is_told_who_decided_what
        {REVIEW} test_of_two_moderators_at_once_one_decides""",
    "a moderator is a party": f"{REVIEW} test_a_party_cannot_decide",
    "a moderator's own entry":
        f"{REVIEW} test_the_entry_of_a_moderator_needs_another_one",
}  # fmt: skip


@cache
def names_in(file):
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("rows", [MOVES, EDGES], ids=["moves", "edges"])
def test_each_row_has_a_test(rows):
    for row, proven in rows.items():
        words = proven.split()
        named = list(zip(words[::2], words[1::2], strict=True))
        assert named, row
        for file, name in named:
            assert name.startswith("test_")
            assert name in names_in(file), (row, file, name)


LISTED, UPHELD, LIFTED = EntryState.LISTED, EntryState.UPHELD, EntryState.LIFTED
HELD, EXPIRED = EntryState.HELD, EntryState.EXPIRED
RECEIPT = {"in time": LIFTED, "later": LIFTED}
DECISION = {"uphold": UPHELD, "lift": LIFTED}
ENDED = ("uphold", "lift", "list", "undecided", "expire", "appeal", "hide")
LATER = DUE + 2000 * A_DAY  # When every time is over.


def withheld_one(alice, bob, moderator):
    trade = make_trade(alice, bob, sent_by=[alice])
    withhold(trade, bob)
    sweep_overdue_trades(DUE)
    return entry_of(bob)


def contested_one(alice, bob, moderator):
    trade = both_sent(alice, bob)
    receive(trade, alice)
    contest(trade, bob)
    sweep_overdue_trades(DUE)
    return entry_of(bob)


def waiting_one(alice, bob, moderator):
    both_sent(alice, bob)
    sweep_overdue_trades(DUE)
    return entry_of(bob)


def listed_one(alice, bob, moderator):
    return listed(alice, bob)


def upheld_one(alice, bob, moderator):
    entry = listed(alice, bob)
    uphold(entry, moderator, now=DUE + A_DAY)
    return entry


def lifted_one(alice, bob, moderator):
    entry = listed(alice, bob)
    lift(entry, moderator, now=DUE + A_DAY)
    return entry


def expired_one(alice, bob, moderator):
    entry = listed(alice, bob)
    assert expire_entries(DUE + 730 * A_DAY).done == 1
    return entry


def appealed(make):
    def make_and_appeal(alice, bob, moderator):
        entry = make(alice, bob, moderator)
        appeal(entry, bob, now=DUE + 2 * A_DAY)
        return entry

    return make_and_appeal


# How it got there → what may happen to it then, and how it ends up.
STATES = {
    "withheld": (
        withheld_one,
        DECISION | RECEIPT | {"list": LISTED, "undecided": LIFTED},
    ),
    "contested": (contested_one, DECISION | RECEIPT | {"undecided": LIFTED}),
    "waits for the other": (waiting_one, DECISION | RECEIPT | {"undecided": LIFTED}),
    "listed": (
        listed_one,
        DECISION | RECEIPT | {"expire": EXPIRED, "appeal": LISTED},
    ),
    "upheld": (
        upheld_one,
        RECEIPT | {"lift": LIFTED, "expire": EXPIRED, "appeal": UPHELD},
    ),
    "listed, appealed": (
        appealed(listed_one),
        DECISION | RECEIPT | {"expire": EXPIRED, "hide": LISTED},
    ),
    "upheld, appealed": (
        appealed(upheld_one),
        RECEIPT | {"lift": LIFTED, "expire": EXPIRED, "hide": UPHELD},
    ),
    "lifted": (lifted_one, dict.fromkeys(RECEIPT, LIFTED)),
    "expired": (expired_one, dict.fromkeys(RECEIPT, EXPIRED)),
}


@contextmanager
def trying():
    """Let services write, and keep nothing of it."""
    db.session.rollback()
    token = writing.set(True)
    try:
        yield
    finally:
        db.session.rollback()
        writing.reset(token)


def events(entry, person, moderator):
    """Return all that could happen to an entry, by name."""
    leg = entry_leg(entry)

    def decide(verb, reason):
        said = "確かめました。"
        return verb(entry.id, entry.version, reason, said, by=moderator, now=LATER)

    def confirm(arrived_at):
        receipts.confirm_late(
            leg.id, arrived_at=arrived_at, by=leg.recipient, now=LATER
        )

    def hide():
        (made,) = queries.appeals_of(entry.id)
        appeals.hide_overdue(made.id, now=LATER)

    return {
        "list": lambda: timed.list_withheld(entry.id, now=LATER),
        "undecided": lambda: timed.lift_undecided(entry.id, now=LATER),
        "expire": lambda: timed.expire(entry.id, now=LATER),
        "uphold": lambda: decide(review.uphold, UpholdReason.RECORD),
        "lift": lambda: decide(review.lift_by_moderator, LiftReason.ERROR),
        "in time": lambda: confirm(DUE - A_MOMENT),
        "later": lambda: confirm(DUE),
        "appeal": lambda: appeals.appeal(
            entry.id, "新しい控えがあります。", [], by=person, link=None, now=LATER
        ),
        "hide": hide,
    }


def entry_leg(entry):
    return trades.get_trade(entry.trade_id).leg_from(entry.account_id)


@pytest.mark.parametrize("name", STATES)
def test_a_state_allows_exactly_these_events(alice, bob, moderator, name):
    make, allowed = STATES[name]
    entry = make(alice, bob, moderator)
    ends = {}
    for event in events(entry, bob, moderator):
        with trying():
            try:
                events(entry, bob, moderator)[event]()
                db.session.flush()
            except (Refusal, ValueError):
                continue
            now = db.session.get(type(entry), entry.id)
            ends[event] = now.state
            public = now.state in (LISTED, UPHELD)
            person = db.session.get(Account, bob.id)
            assert (person.standing is Standing.LISTED) is public, event
            assert (now.hidden_at is not None) is (event == "hide")

    assert ends == allowed


def standing(person):
    db.session.rollback()
    return db.session.get(Account, person.id).standing


def test_an_entry_takes_back_its_own_restriction_alone(alice, bob, moderator):
    entry = listed(alice, bob)
    for cause, kind in (("hold:9", Standing.HELD), ("other", Standing.SUSPENDED)):
        do(standings.restrict, bob.id, cause, kind, now=DUE)

    steps = [standing(bob)]
    do(standings.release, bob.id, "other", now=DUE + A_DAY)
    steps.append(standing(bob))
    lift(entry, moderator, now=DUE + A_DAY)
    steps.append(standing(bob))
    do(standings.release, bob.id, "hold:9", now=DUE + 2 * A_DAY)

    kinds = [Standing.SUSPENDED, Standing.LISTED, Standing.HELD, Standing.GOOD]
    assert [*steps, standing(bob)] == kinds


def test_who_waits_for_the_other_side_is_freed_by_any_proof(alice, bob, moderator):
    ended = {}
    for name in ("a moderator", "the recipient"):
        trade = make_trade(alice, bob, sent_by=[alice])
        sweep_overdue_trades(DUE)
        entry = entry_of(alice, trade)
        assert (entry.finding, entry.state) == ("counterparty_in_default", HELD)
        assert standing(alice) is Standing.GOOD
        if name == "a moderator":
            lift(entry, moderator, now=DUE + A_DAY)
        else:
            with transaction():
                receipts.confirm_late(
                    entry_leg(entry).id,
                    arrived_at=DUE - A_DAY,
                    by=bob,
                    now=DUE + A_DAY,
                )
        ended[name] = entry_of(alice, trade).lift_reason
        assert entry_of(bob, trade).state is LISTED

    assert ended == {"a moderator": "delivered", "the recipient": "received_in_time"}
    assert mails(alice).count("lifted") == 2


def test_the_answers_are_these(app, alice, bob, moderator):
    def answers():
        got = client.get("/api/v1/blacklist/check?handle=bob").json
        page = client.get("/blacklist?handle=bob").get_data(as_text=True)
        shown = [words for words in WORDS if words in pages.text(page)]
        return got["status"], len(got["entries"]), shown

    client = app.test_client()
    seen = [answers()]
    entry = listed(alice, bob)
    seen.append(answers())
    made = appeal(entry, bob)
    seen.append(answers())
    assert hide_overdue_appeals(made.due_at).done == 1
    seen.append(answers())
    lift(entry_of(bob), moderator, now=made.due_at + A_DAY)

    assert [*seen, answers()] == [
        ("none", 0, [NONE]),
        ("listed", 1, [PUBLIC]),
        ("under_appeal", 1, [PUBLIC, APPEALED]),
        ("under_appeal", 0, [PUBLIC, APPEALED]),
        ("none", 0, [NONE]),
    ]


# What somebody may begin, and what runs already.
BEGINS = TALK
RUNNING = ("countered", "agreed", "phone_confirmed", "both_shipped", "one_received")


def test_who_is_barred_finishes_what_runs_and_so_does_the_partner(
    write, alice, bob, moderator
):
    stages = {name: getattr(Stage(alice, bob), name)() for name in RUNNING}
    standings.restrict(bob.id, "entry:9", Standing.LISTED, now=DUE)
    db.session.flush()
    for name, stage in stages.items():
        at, _, his = ALLOWED[name]
        assert try_all(stage, bob, at) == his - BEGINS, name
    assert messages.say(stages["agreed"].id, "まだ送れます", by=bob, now=DUE).id

    suspension.suspend(bob.id, "terms", until=None, by=moderator, now=DUE)
    db.session.flush()
    for name, stage in stages.items():
        at, hers, _ = ALLOWED[name]
        assert try_all(stage, alice, at) == hers, name
    done = db.session.get(Account, alice.id).completed_count
    stages["one_received"].receive(alice)
    assert db.session.get(Account, alice.id).completed_count == done + 1
