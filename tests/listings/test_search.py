"""The board: what is found, in which order, with how many statements."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import delete, select

from tests.factories import MONDAY, count, make_account
from tests.listings import boards
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core import folding, kept, paging
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings import queries, services
from tradeboard.listings.models import ListingToken
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
        ("竜", ["青眼の白龍", "蒼天の竜王"]),
        ("龍", ["青眼の白龍", "蒼天の竜王"]),
        ("リザド", ["リザードン"]),
        ("りざ〜どん", ["リザードン"]),
        ("ードン", ["リザードン"]),
        ("青眼の", ["青眼の白龍"]),
        ("青白", []),
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
        ("🐉", []),
        ("🐉竜", []),
        ("蒼天 青眼", []),
    ],
)
def test_a_search_finds_literally_and_folded(world, q, names):
    assert found(q=q) == names


def test_a_search_finds_what_is_asked_for_too(alice):
    boards.post(alice, have=[card("盾騎士")], want=[LineData("異界への門", 1)])

    assert found(q="異界") == ["盾騎士"]


def test_a_search_is_cut_to_64_characters(world):
    assert found(q="蒼" + " " * 70 + "存在しない") == ["蒼天の竜王"]
    assert found(q="蒼" * 5000) == found(q="ﷺ" * 5000) == []


def test_filters_ask_for_one_card_that_fits(alice):
    cards = [
        card("竜", "A", language="en", rarity="SR"),
        card("狐", "D", language="ja", rarity="ＳＲ"),
    ]
    boards.post(alice, have=cards, game="星霜", ships_to="abroad")

    assert found(conditions=("A", "B"), language="en") == ["竜 +1"]
    assert found(conditions=("A", "B"), language="ja") == []
    assert found(rarity="sr", language="ja", conditions=("C", "D")) == ["竜 +1"]
    assert found(rarity="S") == found(rarity="sr", conditions=("B",)) == []
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
    for number in range(5):
        boards.post(dora, note=f"{number}件目")

    assert queries.count_board(Filters()) == 4
    assert queries.count_board(Filters(terms=["竜"])) == 4
    assert queries.count_posted_since(MONDAY - MINUTE) == 4
    assert queries.count_posted_since(MONDAY) == 0


def test_the_board_asks_as_often_for_thirty_as_for_one(app, statements):
    def look():
        kept.forget_all()
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


def test_the_board_offers_its_rarities_once(alice, bob):
    cards = [card("竜", rarity="SR"), card("狐", rarity="ＳＲ"), card("亀")]
    boards.post(alice, have=cards)
    boards.post(bob, have=[card("鶴", rarity="SR"), card("虎", rarity="並")])

    assert list(queries.board.rarities()) == ["SR", "並"]


def test_what_asks_for_what_somebody_has(alice, bob):
    boards.post(alice, have=[card("狐")], want=[LineData("ドラゴーン", 1)])
    boards.post(alice, have=[card("亀")], want=[LineData("鶴", 1)])
    boards.post(bob, have=[card("鶴")], want=[LineData("ドラゴン", 1)])
    assert found(has_what=bob.id) == []

    boards.own_card(bob, "ﾄﾞﾗｺﾞﾝ")

    assert found(has_what=bob.id) == ["狐"]
    assert found(has_what=bob.id, q="狐") == ["狐"]
    assert found(has_what=bob.id, q="亀") == []


def test_what_came_since(alice):
    boards.post(alice, have=[card("狐")])
    boards.post(alice, have=[card("亀")], now=MONDAY + MINUTE)

    assert found(since=MONDAY) == ["亀"]
    assert found(since=MONDAY + MINUTE) == []


def test_what_is_gone_is_found_by_nothing(alice):
    listing_id = boards.post(alice)
    assert count(ListingToken) > 0

    boards.do(services.withdraw, listing_id, by=alice, now=MONDAY)

    assert count(ListingToken) == 0


def test_several_searches_are_counted_at_once(world, statements):
    searches = [Filters(terms=[word]) for word in ("竜", "r_s", "無い")]

    with statements() as seen:
        assert queries.board.count_each(searches) == [2, 1, 0]

    assert len(seen) == 2


def test_a_new_index_finds_as_the_old_one(app, alice, bob):
    boards.post(alice, have=[card("ドラゴーン")])
    boards.post(bob, have=[card("狐")])
    boards.draft(bob)
    before = db.session.scalars(select(ListingToken.token)).all()
    with transaction():
        db.session.execute(delete(ListingToken))
    assert found(q="ドラゴン") == []

    result = app.test_cli_runner().invoke(args=["listings", "reindex", "--json"])

    assert json.loads(result.stdout) == {"indexed": 2, "last": 3}
    assert found(q="ドラゴン") == ["ドラゴーン"]
    after = db.session.scalars(select(ListingToken.token)).all()
    assert sorted(after) == sorted(before)


def test_nothing_is_offered_to_choose_from_who_may_not_trade(alice, bob):
    boards.post(alice, game="星霜", have=[card("竜", rarity="並")])
    boards.post(bob, game="広告", have=[card("虎", rarity="宣伝")])
    with transaction():
        db.session.get_one(Account, bob.id).standing = Standing.SUSPENDED

    assert list(queries.games()) == ["星霜"]
    assert list(queries.board.rarities()) == ["並"]


@pytest.mark.parametrize("visit", ["|0001-01-01T00:00:00+14:00", "|x", "a|b|c"])
def test_a_made_up_visit_counts_as_none(app, visit):
    client = app.test_client()
    client.set_cookie("visit", visit)

    assert client.get("/?new=1").status_code == 200
