"""The rules of listings, without a database."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest

from tests.factories import A_MOMENT, MONDAY
from tradeboard.core import folding
from tradeboard.core.errors import Conflict
from tradeboard.listings.rules import contents, search, states, tokens
from tradeboard.listings.rules.contents import LineData, ListingData
from tradeboard.listings.rules.search import Filters
from tradeboard.listings.rules.states import ListingState as S
from tradeboard.listings.rules.states import Side
from tradeboard.listings.services import indexing

A_DAY = timedelta(days=1)


def test_a_listing_ends_thirty_days_after_it_was_posted_or_renewed():
    assert states.expires_at(MONDAY) == MONDAY + 30 * A_DAY


def test_a_restored_listing_is_what_it_was_and_never_hidden_again():
    for before in set(S) - {S.HIDDEN}:
        assert states.after_restoring(before) is before
    with pytest.raises(Conflict):
        states.after_restoring(S.HIDDEN)


def test_an_account_is_new_for_seven_days_and_posts_three_listings_a_day():
    assert states.most_listings_a_day(timedelta(0)) == 3
    assert states.most_listings_a_day(7 * A_DAY - A_MOMENT) == 3
    assert states.most_listings_a_day(7 * A_DAY) == 20


@pytest.mark.parametrize(
    ("state", "free", "left", "event"),
    [
        (S.OPEN, 1, 1, None),
        (S.OPEN, 0, 1, "reserve all"),
        (S.OPEN, 0, 0, "trade all"),
        (S.EXPIRED, 1, 1, None),
        (S.EXPIRED, 0, 1, "reserve all"),
        (S.EXPIRED, 0, 0, "trade all"),
        (S.RESERVED, 0, 1, None),
        (S.RESERVED, 1, 1, "release"),
        (S.RESERVED, 0, 0, "trade all"),
        (S.TRADED, 0, 0, None),
        (S.HIDDEN, 0, 1, None),
        (S.HIDDEN, 1, 1, None),
        (S.HIDDEN, 0, 0, "trade all"),
    ],
)
def test_what_the_quantities_make_of_a_listing(state, free, left, event):
    assert states.event_of(state, free=free, left=left) == event


CARDS = ListingData(
    have=(LineData("竜", 1, "AB-1", "SR"), LineData("虎", 2)),
    want=(LineData("鳳", 3, "CD-2", "R"),),
    game="遊び",
    note="ひとこと",
    captions=("表", "裏"),
)


def test_lines_come_with_their_side_what_is_offered_first():
    found = [(side, line.name) for side, line in CARDS.lines()]

    assert found == [(Side.HAVE, "竜"), (Side.HAVE, "虎"), (Side.WANT, "鳳")]


def test_every_text_that_a_person_wrote_stands_with_its_field():
    assert list(CARDS.texts()) == [
        ("note", "ひとこと"),
        ("game", "遊び"),
        ("photo", "表"),
        ("photo", "裏"),
        ("have", "竜"),
        ("have", "AB-1"),
        ("have", "SR"),
        ("have", "虎"),
        ("have", ""),
        ("have", ""),
        ("want", "鳳"),
        ("want", "CD-2"),
        ("want", "R"),
    ]


def test_a_search_looks_through_game_names_and_codes_but_not_the_note():
    cards = [*CARDS.have, *CARDS.want]

    names = indexing.names(CARDS.game, cards, CARDS.note)

    assert names.search_key == folding.key("遊び\n竜\nAB-1\n虎\n\n鳳\nCD-2")


@pytest.mark.parametrize(
    ("names", "title", "wishes"),
    [
        ([], "", ""),
        ([("竜", 1)], "竜", "竜"),
        ([("竜", 2)], "竜 ×2", "竜 ×2"),
        ([("竜", 1), ("虎", 2)], "竜 +1", "竜、虎 ×2"),
        ([("竜", 3), ("虎", 1), ("鳳", 1)], "竜 ×3 +2", "竜 ×3、虎、鳳"),
        ([(n, 1) for n in "竜虎鳳亀"], "竜 +3", "竜、虎、鳳 +1"),
        ([(n, 1) for n in "竜虎鳳亀麟"], "竜 +4", "竜、虎、鳳 +2"),
    ],
)
def test_cards_are_named_in_one_line(names, title, wishes):
    assert contents.title(names) == title
    assert contents.wishes(names) == wishes


def test_a_search_is_read_from_an_address_without_what_was_made_up():
    typed = {
        "q": "  竜\u0000の\n剣  ",
        "game": "遊び",
        "cond": "ab",
        "lang": "en",
        "rarity": "SR",
        "ship": "abroad",
        "photo": "1",
        "mine": "1",
        "new": "1",
        "page": "2",
    }

    asked = search.read(typed)

    assert asked == {**{k: typed[k] for k in search.KEYS}, "q": "竜 の 剣"}
    assert list(asked) == list(search.KEYS)
    assert search.read({"cond": "xy", "lang": "de", "ship": "1", "photo": "2"}) == {}
    assert search.read({"q": " \t ", "game": ""}) == {}
    assert search.read({"q": "あ" * 65}) == {"q": "あ" * 64}
    assert search.read({}) == {}


def test_what_a_search_asks_of_a_listing():
    asked = {
        "q": "竜 ソード",
        "game": "遊び",
        "cond": "cd",
        "lang": "en",
        "rarity": "SR",
        "ship": "abroad",
        "photo": "1",
        "mine": "1",
        "new": "1",
    }

    found = search.filters(asked, viewer_id=7, since=MONDAY)

    assert found == Filters(
        ["竜", "そど"], ("C", "D"), "en", "SR", True, True, "遊び", 7, MONDAY
    )
    nothing = search.filters({}, viewer_id=7, since=MONDAY)
    assert nothing == Filters([], (), "", "", False, False, "", None, None)
    assert search.filters({"cond": "ab"}).conditions == ("A", "B")
    assert search.filters({"mine": "1", "new": "1"}) == nothing


def test_a_search_is_kept_in_one_way_and_comes_back():
    asked = {"game": "遊 び", "q": "a&b=c", "ship": "abroad"}

    saved = search.to_keep(asked)

    assert saved == "q=a%26b%3Dc&game=%E9%81%8A+%E3%81%B3&ship=abroad"
    assert search.kept(saved) == asked
    assert search.kept("q=" + "a" * (search.LONGEST_SAVED - 2)) == {"q": "a" * 64}
    assert search.kept("q=" + "a" * (search.LONGEST_SAVED - 1)) == {}


def test_conditions_are_dropped_one_by_one():
    asked = {"q": "竜", "game": "遊び", "photo": "1"}

    assert search.without(asked, "q", "photo") == {"game": "遊び"}
    assert search.without(asked) == asked


def test_a_text_is_found_by_its_signs_and_pairs_of_signs_word_by_word():
    assert tokens.pieces("abc de") == {"a", "b", "c", "d", "e", "ab", "bc", "de"}
    assert tokens.pieces("") == set()


def test_a_term_asks_for_its_pairs_the_first_sixteen_at_most():
    assert tokens.pieces_of_term("a") == ["a"]
    assert tokens.pieces_of_term("ab") == ["ab"]
    assert tokens.pieces_of_term("abab") == ["ab", "ba"]
    assert tokens.pieces_of_term("abc") == ["ab", "bc"]
    long = "abcdefghijklmnopqrs"
    assert tokens.pieces_of_term(long) == [long[n : n + 2] for n in range(16)]
    assert [tokens.is_exact(t) for t in ("a", "ab", "abc")] == [True, True, False]


def test_marks_are_longer_than_pieces_and_say_what_filters_ask():
    assert tokens.mark_of_game("ポケモン") == tokens.mark_of_game("ぽけもん")
    assert tokens.mark_of_game("Abc") == "game=abc"
    assert tokens.mark_of_game("a" * 65) == "game=" + "a" * 64
    assert tokens.mark_of_reach("abroad") == "ship=abroad"
    assert tokens.mark_of_card() == "=//"
    assert tokens.mark_of_card("A", "ja", "SR") == "=A/ja/sr"
    assert tokens.mark_of_card(rarity="r" * 65) == "=//" + "r" * 64


def test_an_offered_card_has_a_mark_for_every_way_to_ask_for_it():
    every = {"=A//", "=/ja/", "=//sr", "=A/ja/", "=A//sr", "=/ja/sr", "=A/ja/sr"}

    assert tokens.marks_of_card("A", "ja", "SR") == every
    assert tokens.marks_of_card("A", "", "") == {"=A//"}
    assert tokens.marks_of_card("", "", "") == set()


def test_a_listing_has_the_marks_of_its_game_its_reach_and_its_cards():
    cards = [("A", "", ""), ("", "en", "")]

    assert tokens.marks("Abc", "domestic", cards) == {
        "game=abc",
        "ship=domestic",
        "=A//",
        "=/en/",
    }
    assert tokens.marks("", "", []) == set()


def test_places_on_the_board_are_instants_and_what_waits_has_none():
    assert tokens.place(None) == 0
    assert isinstance(tokens.place(MONDAY), int)
    assert tokens.place(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)) == 1_000_000
    assert tokens.posted_at(1_000_000) == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert tokens.posted_at(tokens.place(MONDAY + A_MOMENT)) == MONDAY + A_MOMENT


def test_listings_that_say_the_same_have_one_digest():
    one = tokens.digest(["ポケモン", "竜"])

    assert one == tokens.digest(["ﾎﾟｹﾓﾝ", "龍"])
    assert one == hashlib.sha256("ぽけもん\n竜".encode()).hexdigest()[:32]
    assert one != tokens.digest(["ポケモン竜"])
    assert one != tokens.digest(["竜", "ポケモン"])
