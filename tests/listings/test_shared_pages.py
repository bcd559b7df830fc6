"""The board for everybody: few statements, kept for a moment, never somebody else's."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from flask import session
from flask.testing import FlaskClient
from flask_wtf.csrf import generate_csrf
from sqlalchemy import insert, text

import tradeboard.app
from tests.factories import make_account, make_session
from tests.listings import boards
from tests.page_forms import text as words
from tests.worlds import make_trade
from tradeboard.accounts.models import Account
from tradeboard.core import clock, folding, kept
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings import queries, services
from tradeboard.listings.models import Line, Listing, ListingToken
from tradeboard.listings.queries import Filters, board, finding, walking
from tradeboard.listings.rules import tokens
from tradeboard.listings.views import blueprint
from tradeboard.web import sharing

HOUR = timedelta(hours=1)
MIDDLE = 200


class Browser(FlaskClient):
    """Opens pages as a server does; what the process keeps, it keeps."""

    def open(self, *args, **kwargs):
        with self.application.app_context():
            return super().open(*args, **kwargs)


@pytest.fixture
def browser(app):
    """Return how to get a browser whose pages the process may keep, as in earnest."""

    def browser(account=None, **cookies):
        client = Browser(app, app.response_class, use_cookies=True)
        if account is not None:
            with client.session_transaction() as session:
                session["_user_id"] = make_session(account)
        for name, value in cookies.items():
            client.set_cookie(name, value)
        db.session.rollback()
        return client

    return browser


@pytest.fixture
def moments(monkeypatch):
    """Return the seconds that this process has lived, for a test to move."""
    moments = SimpleNamespace(now=1000.0)
    moments.monotonic = lambda: moments.now
    monkeypatch.setattr(sharing, "time", moments)
    return moments


def get(client, url="/", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = client.get(url, headers=named)
    db.session.rollback()
    return answer


def post(owner, **texts):
    return boards.post(owner, now=clock.now() - HOUR, **texts)


def fill(owner, numbers, key="竜 札"):
    """Put many listings on the board that nobody typed."""
    now = clock.now()
    with transaction():
        for i in numbers:
            at = now - timedelta(minutes=1000 - i)
            row = {"id": i, "owner_id": owner.id, "state": "open", "version": 1}
            at_s = {"created_at": at, "changed_at": at, "posted_at": at}
            db.session.execute(insert(Listing), [row | at_s | {"search_key": key}])
            line = {"listing_id": i, "side": "have", "name": key, "key": key}
            db.session.execute(insert(Line), [line | {"quantity": 1, "free": 1}])
            pieces = [
                {"token": one, "posted": tokens.place(at), "listing_id": i}
                for one in tokens.pieces(folding.key(key))
            ]
            db.session.execute(insert(ListingToken), pieces)


def test_a_page_asks_as_often_for_two_hundred_as_for_ten(
    browser, alice, bob, statements
):
    member, visitor = browser(bob), browser()
    trade = make_trade(alice, bob, at=clock.now() - HOUR)
    urls = ("/", "/?q=竜", "/?q=竜 札&lang=ja", f"/listings/{trade.listing_id}")
    asked = {}
    for numbers in (range(1001, 1011), range(1011, 1201)):
        fill(alice, numbers)
        kept.forget_all()
        for url in urls:
            get(visitor, url)
            for client in (visitor, member):
                for one in (
                    sharing._pages,
                    sharing._found,
                    tradeboard.app._known_counts,
                ):
                    one.forget()
                with statements() as seen:
                    assert get(client, url).status_code == 200
                asked.setdefault((url, client is member), []).append(len(seen))

    assert asked["/", False] == [2, 2]
    assert asked["/", True] == [5, 5]
    assert asked[urls[1], False][1] == 2
    assert all(ten >= many for ten, many in asked.values()), asked
    middle = re.search(r'href="([^"]*after=[^"]*)"', get(visitor, "/").text)[1]
    with statements() as seen:
        get(visitor, middle.replace("&amp;", "&"))
    assert len(seen) == 2


def test_a_visitor_is_asked_nothing_and_gets_no_session(browser, alice):
    listing_id = post(alice)

    first = get(browser())
    assert [c.partition("=")[0] for c in first.headers.getlist("Set-Cookie")] == [
        "visit"
    ]
    assert first.headers["Cache-Control"] == "no-cache"
    assert {"Cookie", "Accept-Language"} <= set(first.vary)
    assert "csrf_token" not in first.text
    for url in (f"/listings/{listing_id}", "/help", "/u/alice"):
        assert "Set-Cookie" not in get(browser(), url).headers


def test_the_visit_is_noted_now_and_then_and_not_with_each_page(browser, alice):
    client = browser()
    assert "Set-Cookie" in get(client).headers
    assert "Set-Cookie" not in get(client).headers

    noted = clock.now() - timedelta(minutes=6)
    client.set_cookie("visit", f"|{noted.isoformat()}")
    again = get(client)
    assert "Set-Cookie" in again.headers
    assert "前回から" not in again.text


def test_an_answer_is_kept_for_a_moment_and_a_hidden_listing_gone_in_time(
    browser, alice, moderator, moments, statements
):
    listing_id = post(alice)
    client = browser()
    first = get(client)
    boards.do(services.hide, listing_id, "理由", by=moderator, now=clock.now())

    moments.now += sharing.FRESH_FOR_S
    with statements() as seen:
        kept_answer = get(client)
    assert seen == []
    assert kept_answer.get_data() == first.get_data()

    moments.now += 0.01
    assert "蒼天の竜王" not in get(client).text
    # With what a replica may be behind, a hidden listing is gone within five seconds.
    assert sharing.FRESH_FOR_S + 2 < 5


def test_a_member_gets_what_was_found_a_moment_ago_but_sees_own_changes(
    browser, alice, bob, moderator, moments, statements
):
    listing_id = post(alice)
    member = browser(bob)
    assert "蒼天の竜王" in get(member).text
    boards.do(services.hide, listing_id, "理由", by=moderator, now=clock.now())

    moments.now += sharing.FRESH_FOR_S
    with statements() as seen:
        again = get(member)
    assert "蒼天の竜王" in again.text
    assert len(seen) == 1

    moments.now += 0.01
    assert "蒼天の竜王" not in get(member).text

    post(alice)
    assert "蒼天の竜王" not in get(member).text
    form = {"language": "ja", "next": "/"}
    member.post("/preferences", data=form, headers={"Origin": "http://localhost"})
    assert "蒼天の竜王" in get(member).text


def test_a_visitor_who_wrote_a_while_ago_is_anybody_again(browser, alice, statements):
    client = browser()
    get(browser())
    for wrote, asked in ((clock.now(), True), (clock.now() - HOUR, False)):
        with client.session_transaction() as session:
            session["wrote"] = wrote.isoformat()
        with statements() as seen:
            get(client)
        assert bool(seen) is asked


def test_what_a_slow_page_has_read_counts_as_old_from_the_beginning(
    browser, alice, moments, monkeypatch
):
    slow = board.search

    def search(*args, **named):
        found = slow(*args, **named)
        moments.now += 2
        return found

    monkeypatch.setattr(board, "search", search)
    get(browser())
    post(alice)
    moments.now += 1
    assert "蒼天の竜王" in get(browser()).text


def test_what_has_not_changed_is_answered_with_304(browser, alice, moments):
    client = browser(visit=f"|{clock.now().isoformat()}")
    etag = get(client).headers["ETag"]

    moments.now += 60
    answer = get(client, "/", If_None_Match=etag)
    assert (answer.status_code, answer.get_data()) == (304, b"")
    assert answer.headers["ETag"] == etag
    assert answer.headers["Cache-Control"] == "no-cache"
    assert get(client, "/", Accept_Language="en", If_None_Match=etag).status_code == 200

    post(alice)
    moments.now += 60
    assert get(client, "/", If_None_Match=etag).status_code == 200


def test_a_kept_page_is_never_that_of_somebody_else(browser, alice, bob, moments):
    post(alice)
    get(browser())
    assert 'lang="en"' in get(browser(), "/", Accept_Language="en").text[:60]
    assert 'lang="en"' in get(browser(language="en")).text[:60]
    assert 'data-theme="dark"' in get(browser(theme="dark")).text[:90]
    assert 'data-theme="auto"' in get(browser()).text[:90]
    assert "登録する" in words(get(browser()).text)

    mine = get(browser(bob))
    assert mine.headers["Cache-Control"] == "no-store"
    assert "ETag" not in mine.headers
    assert "/logout" in mine.text
    assert "/logout" not in get(browser()).text

    there = browser().get("/", environ_overrides={"SCRIPT_NAME": "/cards"})
    assert 'action="/cards/' in there.text
    assert 'action="/cards/' not in get(browser()).text

    long_ago = (clock.now() - timedelta(days=1)).isoformat()
    assert "前回から新しい募集が1件" in get(browser(visit=f"|{long_ago}")).text
    assert "前回から新しい募集が" not in get(browser()).text


@pytest.mark.parametrize("wants", ["", "100%の<b>竜 & '狐'\" %(title)s"])
@pytest.mark.parametrize("completed", [0, 3])
@pytest.mark.parametrize("photo_id", [None, "a1b2"])
def test_a_tile_says_what_its_template_makes_of_its_row(
    app, wants, completed, photo_id
):
    row = board.Tile(
        id=7,
        state="reserved" if completed else "open",
        posted_at=clock.now(),
        owner_handle="ali%ce",
        owner_completed=completed,
        title="<i>%(id)s</i> ×1",
        wants=wants,
        condition="A・B" if wants else "",
        photo_id=photo_id,
        photo_shows="front" if completed else "",
    )
    with app.test_request_context("/"):
        tiles = app.jinja_env.get_template("listings/_tiles.html").module
        for late in (False, True):
            drawn = blueprint._tile(row, late, "ja", "")
            assert drawn == str(tiles.one(row, late))


def test_members_share_a_page_and_nothing_of_each_other(
    browser, alice, bob, moderator, moments, statements
):
    post(alice)
    first, second = browser(alice), browser(bob)
    tokens = []
    for client in (first, second):
        page = get(client)
        assert sharing.GAP not in page.text
        assert page.headers["Cache-Control"] == "no-store"
        tokens.append(re.search(r'name="csrf_token" value="([^"]+)"', page.text)[1])
    assert tokens[0] != tokens[1]
    assert len({key[1] for key in sharing._pages._rows}) == 1
    with statements() as seen:
        again = get(first)
    assert len(seen) == 1
    assert tokens[1] not in again.text

    theirs, own = (
        first.post("/logout", data={"csrf_token": token}) for token in tokens[::-1]
    )
    assert (theirs.status_code, own.status_code) == (400, 303)
    assert "/logout" not in get(first).text
    assert "/logout" in get(second).text
    assert "/desk" in get(browser(moderator)).text
    assert "/desk" not in get(second).text
    with transaction():
        db.session.get(Account, bob.id).language = "en"
    assert 'lang="en"' in get(second).text[:60]


def test_a_form_that_one_visitor_was_given_is_never_kept_for_another(app):
    name = app.config["SESSION_COOKIE_NAME"]
    with app.test_request_context("/", headers={"Cookie": f"{name}=begun"}):
        session["csrf_token"] = "theirs"
        assert sharing.is_anybodys()

        assert sharing.answer(generate_csrf).get_data(as_text=True)
        assert not sharing._pages._rows
        assert sharing.answer(lambda: "no form", 2).status_code == 200


def test_a_page_made_of_what_was_found_before_is_as_old_as_that(
    browser, alice, bob, moderator, moments
):
    listing_id = post(alice)
    get(browser(), "/?q=竜王")
    get(browser(alice))
    boards.do(services.hide, listing_id, "理由", by=moderator, now=clock.now())

    visitor, member = browser(), browser(bob)
    shown = [(visitor, "/?q=竜王"), (visitor, "/?q=竜王&from=elsewhere")]
    shown += [(member, url) for url in ("/", "/?from=elsewhere", "/?q=竜王")]
    moments.now += sharing.FRESH_FOR_S
    assert all("蒼天の竜王" in get(*one).text for one in shown)
    moments.now += 0.01
    assert not any("蒼天の竜王" in get(*one).text for one in shown)


def test_what_is_said_once_is_said_to_one_alone(browser, alice, moments):
    told = browser()
    with told.session_transaction() as session:
        session["_flashes"] = [("ok", "一度だけ")]

    assert "一度だけ" in get(told).text
    assert "一度だけ" not in get(browser()).text
    assert "一度だけ" not in get(told).text
    assert get(browser(), "/?after=" + "x" * 700).status_code == 200
    assert len(sharing._pages._rows) <= sharing.MOST


@pytest.fixture
def short_walks(monkeypatch):
    """Look at few listings, so that few are many."""
    for module in (finding, walking):
        monkeypatch.setattr(module, "WALKED", 20)
    monkeypatch.setattr(finding, "RARE", 5)
    for made in (board._asked, finding._counting):
        made.cache_clear()
    yield
    board._asked.cache_clear()


def test_a_search_for_what_is_common_looks_at_so_much_and_says_so(
    app, alice, browser, short_walks, statements
):
    fill(alice, [1], "竜 札")
    fill(alice, range(2, 42), "竜 狐")
    fill(alice, range(42, 82), "札 狐")
    both = Filters(terms=["竜", "札"])

    with statements() as seen:
        first = board.search(both)
    assert len(seen) == 3
    assert (first.count, first.at_least, first.page.rows) == (0, True, [])

    pages, after = 1, first.page.after
    while after is not None:
        page = get(browser(), f"/?q=竜 札&after={after}")
        pages += 1
        if "もっと古い募集を探す" not in page.text:
            break
        after = re.search(r"after=([^\"&]+)\" rel=\"next\"", page.text)[1]
    assert "竜 札" in words(page.text)
    assert pages == 3

    shown = words(get(browser(), "/?q=竜 札").text)
    assert "古い募集はまだ探していません" in shown
    assert "この条件の募集はありません" not in shown
    everything = board.search(Filters(terms=["狐"]))
    assert (everything.count, everything.at_least) == (20, True)


def test_a_walk_meets_a_listing_once_that_two_marks_lead_to(alice, short_walks):
    fill(alice, range(1, 9))
    with transaction():
        for mark in ("=A//", "=B//"):
            db.session.execute(
                text(
                    "INSERT INTO listing_token (token, posted, listing_id) SELECT "
                    ":mark, posted, listing_id FROM listing_token WHERE token = '竜'"
                ),
                {"mark": mark},
            )

    found = board.search(Filters(conditions=("A", "B")))
    assert [tile.id for tile in found.page.rows] == list(range(8, 0, -1))
    assert (found.count, found.at_least) == (8, False)
    assert queries.count_board(Filters(conditions=("A", "B"), terms=["札"])) == 8


def test_a_listing_that_waited_is_found_in_its_place(alice):
    emil = make_account("emil", confirmed=False)
    waiting = post(emil)
    newer = post(alice)
    now = clock.now()
    boards.do(services.open_awaiting, emil.id, now=now)

    found = board.search(Filters(terms=["竜"])).page.rows
    assert [tile.id for tile in found] == [waiting, newer]
