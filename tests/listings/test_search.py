"""The board: what is found, in which order, with how many statements."""

from datetime import timedelta

import pytest

from tests.factories import MONDAY, make_account
from tests.listings import boards
from tradeboard.core import folding, paging
from tradeboard.listings import queries
from tradeboard.listings.queries import Filters
from tradeboard.listings.rules import LineData

MINUTE = timedelta(minutes=1)


def found(**filters):
    if "q" in filters:
        filters["terms"] = folding.terms(filters.pop("q"))
    return [tile.title for tile in queries.board_page(Filters(**filters)).rows]


def card(name, condition="A", **texts):
    return LineData(name, 1, condition=condition, **texts)


@pytest.fixture
def world(alice):
    names = [
        "蒼天の竜王",
        "リザードン",
        "青眼の白龍",
        "割引100%券",
        "under_score",
        "aXb",
    ]
    for minutes, name in enumerate(names):
        at = MONDAY + minutes * MINUTE
        boards.post(alice, have=[card(name, set_code=f"TB01-00{minutes}")], now=at)
    return names


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("竜", ["蒼天の竜王"]),
        ("ﾘｻﾞ", ["リザードン"]),
        ("りざ", ["リザードン"]),
        ("リザ", ["リザードン"]),
        ("青眼", ["青眼の白龍"]),
        ("白龍　青眼", ["青眼の白龍"]),
        ("100%", ["割引100%券"]),
        ("１００％", ["割引100%券"]),
        ("_", ["under_score"]),
        ("r_s", ["under_score"]),
        ("a_b", []),
        ("\\", []),
        ("tb01-002", ["青眼の白龍"]),
        ("ＴＢ０１－００２", ["青眼の白龍"]),
        ("AXB", ["aXb"]),
        ("竜 青眼", []),
    ],
)
def test_a_search_finds_literally_and_folded(world, q, names):
    assert found(q=q) == names


def test_a_search_finds_what_is_asked_for_too(alice):
    boards.post(alice, have=[card("盾騎士")], want=[LineData("異界への門", 1)])

    assert found(q="異界") == ["盾騎士"]


def test_a_search_is_cut_to_64_characters(world):
    assert found(q="竜" + " " * 70 + "存在しない") == ["蒼天の竜王"]


def test_filters_ask_for_one_card_that_fits(alice):
    cards = [card("竜", "A", language="en"), card("狐", "D", language="ja")]
    boards.post(alice, have=cards, game="星霜", ships_to="abroad")

    assert found(conditions=("A", "B"), language="en") == ["竜 +1"]
    assert found(conditions=("A", "B"), language="ja") == []
    assert found(game="星霜", abroad=True) == ["竜 +1"]
    assert found(game="星") == []
    assert found(photo=True) == []


def test_the_filter_of_photos(app, alice):
    listing_id = boards.post(alice)
    boards.post(alice, have=[card("狐")])
    boards.add_photo(alice, listing_id, app)

    assert found(photo=True) == ["蒼天の竜王"]


def test_pages_go_on_where_the_last_ended(alice):
    names = [f"札{n}" for n in range(5)]
    for name in names:  # all at the same instant
        boards.post(alice, have=[card(name)])

    seen, after = [], None
    while True:
        page = queries.board_page(Filters(), after, size=2)
        seen += [tile.title for tile in page.rows]
        after = paging.decode(page.after)
        if after is None:
            break

    assert seen == names[::-1]


def test_a_count_stops_beyond_a_hundred(app, monkeypatch):
    monkeypatch.setattr(queries.board, "COUNTED", 3)
    dora = make_account("dora")
    for _ in range(5):
        boards.post(dora)

    assert queries.count_board(Filters()) == 4
    assert queries.count_posted_since(MONDAY - MINUTE) == 4
    assert queries.count_posted_since(MONDAY) == 0


def test_the_board_asks_as_often_for_thirty_as_for_one(app, statements):
    def look():
        with statements() as seen:
            queries.board_page(Filters(terms=["竜"], photo=False))
            queries.count_board(Filters(terms=["竜"]))
        return len(seen)

    dora = make_account("dora")
    first = boards.post(dora)
    boards.add_photo(dora, first, app)
    for_one = look()
    for number in range(29):
        owner = make_account(f"owner{number}")
        boards.post(owner)

    assert look() == for_one


def test_my_listings_ask_as_often_for_twenty_as_for_one(app, statements):
    dora = make_account("dora")

    def look():
        with statements() as seen:
            queries.mine(dora.id)
        return len(seen)

    boards.post(dora)
    for_one = look()
    for _ in range(19):
        boards.post(dora)

    assert look() == for_one


def test_the_board_offers_its_games(alice, bob):
    for owner, game in ((alice, "星霜"), (alice, ""), (bob, "月影"), (bob, "星霜")):
        boards.post(owner, game=game)

    assert list(queries.games()) == ["星霜", "月影"]
