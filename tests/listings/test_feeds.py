"""Feeds of searches, and names that are suggested while typing."""

import xml.etree.ElementTree as ET
from datetime import timedelta

import pytest

from tests.listings import boards
from tests.page_forms import get
from tradeboard.core import clock
from tradeboard.listings.rules import LineData
from tradeboard.listings.views import board as board_views

HOUR = timedelta(hours=1)
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def card(name, **texts):
    return LineData(name, 1, condition="A", **texts)


@pytest.fixture
def visitor(app):
    return app.test_client()


def test_a_feed_tells_the_newest_of_a_search(visitor, app, alice):
    at = clock.now() - HOUR
    listing_id = boards.post(alice, have=[card("竜 & <b>\x0b")], now=at)
    boards.add_photo(alice, listing_id, app)
    boards.post(alice, have=[card("狐")], now=at)

    atom = visitor.get("/feed.atom?q=竜&mine=1&new=1")
    feed = ET.fromstring(atom.data)
    assert atom.mimetype == "application/atom+xml"
    assert [e.text for e in feed.findall("a:entry/a:title", ATOM)] == ["竜 & <b>"]
    assert feed.find("a:entry/a:id", ATOM).text.endswith(f"/listings/{listing_id}")
    assert feed.find("a:updated", ATOM).text == f"{at:%Y-%m-%dT%H:%M:%SZ}"

    json_feed = visitor.get("/feed.json?q=竜")
    (item,) = json_feed.json["items"]
    assert json_feed.json["version"] == "https://jsonfeed.org/version/1.1"
    assert json_feed.mimetype == "application/feed+json"
    assert item["image"].endswith("-480.jpg")
    assert item["content_text"] == "求めるもの：星詠みの魔導師"
    assert visitor.get("/feed.atom").status_code == 200
    assert visitor.get("/feed.json?q=無い").json["items"] == []

    for answer, path in ((atom, "/feed.atom?q=竜"), (json_feed, "/feed.json?q=竜")):
        assert answer.headers["Cache-Control"] == "public, max-age=300"
        same = {"If-None-Match": answer.headers["ETag"]}
        assert visitor.get(path, headers=same).status_code == 304
        since = {"If-Modified-Since": answer.headers["Last-Modified"]}
        assert visitor.get(path, headers=since).status_code == 304


def test_the_board_says_where_its_feed_is(visitor):
    page = get(visitor, "/?q=竜&new=1")

    assert 'type="application/atom+xml"' in page
    assert 'href="/feed.json?q=%E7%AB%9C"' in page
    assert '<meta name="robots" content="noindex, follow">' in page
    assert "noindex" not in get(visitor, "/")


def test_names_are_suggested_as_they_begin_and_folded(visitor, alice):
    for name in ("リザードン", "ドラゴーン", "赤い竜", "竜王", "龍王"):
        boards.post(alice, have=[card(name)])
    boards.post(alice, have=[card("竜の巣")], want=[LineData("竜の巣", 1)])

    def suggested(q):
        return visitor.get("/suggest", query_string={"q": q}).text

    assert "リザードン" in suggested("ﾘｻﾞ")
    assert "ドラゴーン" in suggested("どらごん")
    dragons = suggested("竜")
    assert dragons.index("竜の巣") < dragons.index("竜王") < dragons.index("赤い竜")
    assert dragons.count("王") == 1
    for nothing in ("", " ", "%", "_", "🐉", "竜" * 5000):
        assert suggested(nothing).strip() == ""


def test_suggestions_are_bounded(visitor, monkeypatch):
    monkeypatch.setattr(board_views, "SUGGESTIONS", "2 per minute")
    asked = {"environ_base": {"REMOTE_ADDR": "203.0.113.77"}}

    answers = [visitor.get("/suggest?q=竜", **asked).status_code for _ in range(3)]

    assert answers == [200, 200, 429]


def test_no_search_breaks_the_board(visitor, alice):
    boards.post(alice, have=[card("割引100%券")], now=clock.now() - HOUR)

    for q in ("%", "_", "\\", "🐉", "ー", "\0", "竜" * 5000, "ﷺ" * 64, "' OR 1=1"):
        answer = visitor.get("/", query_string={"q": q})
        assert answer.status_code < 500, q
    assert "割引100%券" in visitor.get("/", query_string={"q": "100%"}).text
