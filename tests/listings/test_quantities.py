"""Copies: nothing is promised twice, whoever is faster."""

import pytest

from tests.factories import MONDAY
from tests.listings import boards
from tests.races import race
from tradeboard.accounts.queries import get_account
from tradeboard.core.errors import Conflict
from tradeboard.listings import queries, services
from tradeboard.listings.rules import LineData, ListingState, Side


def post_two_cards(owner):
    """Return the listing, the ids of a card with two copies and one with one."""
    cards = [
        LineData("旋風の一撃", 2, condition="B"),
        LineData("蒼天の竜王", 1, condition="A"),
    ]
    listing_id = boards.post(owner, have=cards)
    return listing_id, *boards.lines(listing_id)[:2]


def copies(listing_id):
    have = queries.get_listing(listing_id).on(Side.HAVE)
    return [(line.free, line.reserved, line.traded) for line in have]


def test_a_part_can_be_traded_and_the_rest_stays_open(alice):
    listing_id, many, _ = post_two_cards(alice)

    boards.do(services.reserve, {many: 1}, now=MONDAY)
    assert copies(listing_id) == [(1, 1, 0), (1, 0, 0)]
    boards.do(services.trade_away, {many: 1}, now=MONDAY)

    assert copies(listing_id) == [(1, 0, 1), (1, 0, 0)]
    assert boards.listing(listing_id).state is ListingState.OPEN


def test_never_more_than_there_are(alice):
    listing_id, many, one = post_two_cards(alice)

    with pytest.raises(Conflict, match="もうありません"):
        boards.do(services.reserve, {one: 1, many: 3}, now=MONDAY)

    assert copies(listing_id) == [(2, 0, 0), (1, 0, 0)]


@pytest.mark.parametrize("verb", [services.release, services.trade_away])
def test_nothing_is_given_back_or_traded_that_was_not_promised(alice, verb):
    listing_id, many, _ = post_two_cards(alice)

    with pytest.raises(Conflict):
        boards.do(verb, {many: 1}, now=MONDAY)

    assert copies(listing_id) == [(2, 0, 0), (1, 0, 0)]


def test_nothing_of_a_withdrawn_listing_can_be_promised(alice):
    listing_id, many, _ = post_two_cards(alice)
    boards.do(services.withdraw, listing_id, by=alice, now=MONDAY)

    with pytest.raises(Conflict):
        boards.do(services.reserve, {many: 1}, now=MONDAY)


def test_the_last_copy_goes_to_one_of_two_at_once(app, alice):
    listing_id, _, one = post_two_cards(alice)

    def take():
        services.reserve({one: 1}, now=MONDAY)

    for _ in range(4):
        assert sorted(race(app, take, take)) == ["Conflict", "done"]
        assert copies(listing_id)[1] == (0, 1, 0)
        boards.do(services.release, {one: 1}, now=MONDAY)


def test_two_who_take_different_cards_at_once_leave_it_reserved(app, alice):
    listing_id, many, one = post_two_cards(alice)

    outcomes = race(
        app,
        lambda: services.reserve({one: 1}, now=MONDAY),
        lambda: services.reserve({many: 2}, now=MONDAY),
    )

    assert outcomes == ["done", "done"]
    assert copies(listing_id) == [(0, 2, 0), (0, 1, 0)]
    assert boards.listing(listing_id).state is ListingState.RESERVED


def test_taking_back_and_agreeing_at_once_end_in_one_way(app, alice):
    listing_id, many, _ = post_two_cards(alice)
    alice_id = alice.id

    def take_back():
        services.withdraw(listing_id, by=get_account(alice_id), now=MONDAY)

    outcomes = race(app, lambda: services.reserve({many: 1}, now=MONDAY), take_back)

    assert sorted(outcomes) == ["Conflict", "done"]
    withdrawn = boards.listing(listing_id).state is ListingState.WITHDRAWN
    assert copies(listing_id)[0] == ((2, 0, 0) if withdrawn else (1, 1, 0))
