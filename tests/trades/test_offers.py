from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradeboard.core.errors import RuleBroken
from tradeboard.trades.rules import offers
from tradeboard.trades.rules.offers import ChangeKind, Item

OWL = Item("poster", "ふくろうの番人", 2, 7, "SKY-012", "A", "ja")
FOX = Item("proposer", "きつねの使い", 1, None, "", "B", "")

ITEMS = st.lists(
    st.builds(
        Item,
        st.sampled_from(["poster", "proposer"]),
        st.sampled_from("abc"),
        st.integers(1, 3),
        st.sampled_from([None, 1]),
    ),
    max_size=6,
)


def test_an_offer_in_which_both_give_is_fine():
    offers.check_offer([OWL, FOX])


@pytest.mark.parametrize("items", [[], [OWL], [FOX]])
def test_a_side_that_gives_nothing_is_refused(items):
    with pytest.raises(RuleBroken, match="1点以上"):
        offers.check_offer(items)


def test_twenty_items_are_fine_and_one_more_is_refused():
    offers.check_offer([OWL] * 19 + [FOX])

    with pytest.raises(RuleBroken, match="20点まで"):
        offers.check_offer([OWL] * 20 + [FOX])


@pytest.mark.parametrize("quantity", [-1, 0, 100])
def test_a_quantity_outside_1_to_99_is_refused_by_name(quantity):
    with pytest.raises(RuleBroken, match="ふくろうの番人") as refused:
        offers.check_offer([replace(OWL, quantity=quantity), FOX])

    assert refused.value.field == "quantity"


@pytest.mark.parametrize("quantity", [1, 99])
def test_the_bounds_of_a_quantity_are_fine(quantity):
    offers.check_offer([replace(OWL, quantity=quantity), FOX])


def test_each_kind_of_change_is_found():
    fewer = replace(OWL, quantity=1)
    crane = Item("proposer", "つるの舞", 3)

    more, gone, new = offers.difference([OWL, FOX], [crane, fewer])

    assert (more.kind, more.before, more.after) == (ChangeKind.QUANTITY, 2, 1)
    assert (gone.kind, gone.name, gone.after) == (ChangeKind.REMOVED, FOX.name, 0)
    assert (new.kind, new.giver, new.after) == (ChangeKind.ADDED, "proposer", 3)


def test_another_condition_is_another_card():
    changes = offers.difference([OWL], [replace(OWL, condition="C")])

    assert [c.kind for c in changes] == [ChangeKind.REMOVED, ChangeKind.ADDED]


def test_the_same_card_in_two_rows_is_counted_together():
    assert offers.difference([OWL], [replace(OWL, quantity=1)] * 2) == []


def test_a_change_is_said_in_words_with_its_side():
    (change,) = offers.difference([OWL], [replace(OWL, quantity=1)])

    assert str(offers.in_words(change)) == (
        "募集した側：ふくろうの番人（SKY-012 / A / ja） の枚数を 2 から 1 に変えました"
    )


def test_a_card_without_details_is_said_by_its_name_alone():
    (change,) = offers.difference([], [Item("proposer", "100%の月", 1)])

    assert str(offers.in_words(change)) == "申し込んだ側：100%の月 ×1 を追加しました"


@pytest.mark.parametrize("kind", ChangeKind)
@pytest.mark.parametrize("giver", ["poster", "proposer"])
def test_each_change_has_its_words(kind, giver):
    change = offers.Change(kind, giver, "ふくろうの番人", 1, 2)

    assert "ふくろうの番人" in str(offers.in_words(change))


@given(ITEMS)
def test_a_version_does_not_differ_from_itself_in_any_order(items):
    assert offers.difference(items, items[::-1]) == []


@given(ITEMS, ITEMS)
def test_the_way_back_undoes_each_change(old, new):
    there = {(c.giver, c.name, c.before, c.after) for c in offers.difference(old, new)}
    back = {(c.giver, c.name, c.after, c.before) for c in offers.difference(new, old)}

    assert there == back
