"""The whole state table: every stage, every event, every role, on both databases."""

import pytest

from tests.trades.stages import AGREED_AT, DAY, DUE, HOUR, MONDAY, Stage, try_all

TALK = {"counter", "accept"}

# stage → (when it is looked at, what poster and proposer may do then)
ALLOWED = {
    "negotiating": (AGREED_AT, TALK | {"decline"}, {"withdraw"}),
    "countered": (AGREED_AT, {"decline"}, TALK | {"withdraw"}),
    "agreed": (AGREED_AT + HOUR, {"seal", "cancel"}, {"seal", "cancel"}),
    "one_sealed": (AGREED_AT + HOUR, {"seal", "cancel"}, {"seal", "cancel"}),
    "revealed": (
        AGREED_AT + 2 * HOUR,
        {"seal", "try words", "cancel"},
        {"seal", "try words", "cancel"},
    ),
    "closed_call": (MONDAY, {"seal", "cancel"}, {"seal", "cancel"}),
    "phone_confirmed": (MONDAY, {"dispatch", "cancel"}, {"dispatch", "cancel"}),
    "shipped": (
        MONDAY + 3 * DAY,
        {"contest", "extend", "settle"},
        {"dispatch", "receive", "withhold", "extend", "settle"},
    ),
    "both_shipped": (
        MONDAY + 4 * DAY,
        {"contest", "receive", "extend", "settle"},
        {"contest", "receive", "extend", "settle"},
    ),
    "one_received": (
        MONDAY + 4 * DAY,
        {"receive", "extend", "settle"},
        {"contest", "extend", "settle"},
    ),
    "differing": (MONDAY + 20 * DAY, {"settle"}, {"solve", "settle"}),
    "defaulted": (
        DUE + DAY,
        {"receive late"},
        {"dispatch late", "receive late"},
    ),
    "received": (MONDAY + 4 * DAY, set(), set()),
    "cancelled": (MONDAY + 10 * DAY, set(), set()),
    "declined": (MONDAY, set(), set()),
    "withdrawn": (MONDAY, set(), set()),
    "lapsed": (MONDAY, set(), set()),
}

# From the due instant on, whether or not the sweep has run, nobody improves the facts.
TOO_LATE = {
    "negotiating": MONDAY - DAY,
    "agreed": AGREED_AT + 7 * DAY,
    "revealed": AGREED_AT + 7 * DAY,
    "phone_confirmed": MONDAY + 5 * DAY,
    "shipped": DUE,
    "both_shipped": DUE,
    "one_received": DUE,
}

OF_MODERATORS = {"closed_call": {"open round"}, "differing": {"solve"}}


@pytest.mark.parametrize("name", ALLOWED)
def test_each_side_may_do_exactly_this(write, alice, bob, name):
    now, by_poster, by_proposer = ALLOWED[name]
    stage = getattr(Stage(alice, bob), name)()

    assert try_all(stage, alice, now) == by_poster
    assert try_all(stage, bob, now) == by_proposer


@pytest.mark.parametrize("name", ALLOWED)
def test_nobody_else_may_do_anything(write, alice, bob, charlie, moderator, name):
    now = ALLOWED[name][0]
    stage = getattr(Stage(alice, bob), name)()

    assert try_all(stage, charlie, now) == set()
    assert try_all(stage, moderator, now) == OF_MODERATORS.get(name, set())


@pytest.mark.parametrize("name", TOO_LATE)
def test_from_its_deadline_on_only_time_acts(write, alice, bob, name):
    stage = getattr(Stage(alice, bob), name)()

    assert try_all(stage, alice, TOO_LATE[name]) == set()
    assert try_all(stage, bob, TOO_LATE[name]) == set()
