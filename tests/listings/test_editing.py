"""What an edit may change, and what it must keep."""

import dataclasses

import pytest

from tests.factories import MONDAY
from tests.listings import boards
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.listings import queries, services
from tradeboard.listings.rules import LineData, ListingState, Side

THREE = LineData("旋風の一撃", 3, condition="B")


def have(listing_id):
    return queries.get_listing(listing_id).on(Side.HAVE)


def edit(owner, listing_id, **texts):
    return boards.do(
        services.edit, listing_id, boards.data(**texts), by=owner, now=MONDAY
    )


def test_a_line_that_changes_keeps_its_id(alice):
    listing_id = boards.post(alice, have=[THREE])
    line_id = have(listing_id)[0].id

    edited = edit(
        alice, listing_id, have=[dataclasses.replace(THREE, id=line_id, quantity=5)]
    )

    line = have(listing_id)[0]
    assert (line.id, line.quantity, line.free) == (line_id, 5, 5)
    assert any("×3" in str(change) for change in edited.changes)


def test_a_line_can_be_added_and_taken_off(alice):
    listing_id = boards.post(alice, have=[THREE])

    edit(alice, listing_id, have=[boards.HAVE])

    assert [line.name for line in have(listing_id)] == ["蒼天の竜王"]


def test_promised_copies_cannot_be_edited_away(alice):
    listing_id = boards.post(alice, have=[THREE])
    line_id = have(listing_id)[0].id
    boards.do(services.reserve, {line_id: 2}, now=MONDAY)
    one = dataclasses.replace(THREE, id=line_id, quantity=1)
    two = dataclasses.replace(one, quantity=2)

    for less in ([one], [boards.HAVE]):
        with pytest.raises(RuleBroken, match="取引中"):
            edit(alice, listing_id, have=less)
    edit(alice, listing_id, have=[two])

    line = have(listing_id)[0]
    assert (line.quantity, line.free, line.reserved) == (2, 0, 2)
    assert boards.listing(listing_id).state is ListingState.RESERVED


def test_another_listings_line_is_not_touched(alice, bob):
    hers, his = boards.post(alice, have=[THREE]), boards.post(bob, have=[THREE])
    line_id = have(his)[0].id

    edit(alice, hers, have=[dataclasses.replace(THREE, id=line_id, quantity=9)])

    assert have(his)[0].quantity == 3
    assert have(hers)[0].id != line_id


def test_the_search_follows_an_edit(alice):
    listing_id = boards.post(alice)

    edit(alice, listing_id, have=[THREE])

    found = queries.board_page(queries.Filters(terms=["旋風"])).rows
    assert [tile.id for tile in found] == [listing_id]
    assert queries.board_page(queries.Filters(terms=["蒼天"])).rows == []


def test_only_an_open_listing_can_be_edited(alice):
    listing_id = boards.post(alice)
    boards.do(services.withdraw, listing_id, by=alice, now=MONDAY)

    with pytest.raises(Conflict):
        edit(alice, listing_id)


@pytest.mark.parametrize(
    "texts",
    [
        {"note": "連絡は alice+trade@example.com まで"},
        {"note": "bob@example.com"},
        {"note": "alice＋x＠example．com"},
        {"have": [LineData("竜 bob@example.com", 1, condition="A")]},
        {"game": "x@example.org"},
    ],
)
def test_only_the_own_main_address_may_be_written(alice, texts):
    with pytest.raises(RuleBroken, match="本アドレスではない"):
        boards.post(alice, **texts)


def test_the_own_main_address_may_be_written(alice):
    boards.post(alice, note="連絡は Alice@example.com まで")


def test_the_refusal_names_the_address_and_the_field(alice):
    with pytest.raises(RuleBroken) as refused:
        boards.post(alice, note="alice+trade@example.com")

    assert "alice+trade@example.com" in str(refused.value)
    assert refused.value.field == "note"


@pytest.mark.parametrize("quantity", [0, 100, -1])
def test_quantities_have_bounds(alice, quantity):
    with pytest.raises(RuleBroken):
        boards.post(alice, have=[LineData("竜", quantity, condition="A")])


def test_both_sides_need_a_card(alice):
    with pytest.raises(RuleBroken):
        boards.post(alice, have=[])
    with pytest.raises(RuleBroken):
        boards.post(alice, want=[])
