"""The main pages, on a phone and in both languages, as axe judges them."""

import hashlib
import tomllib
from pathlib import Path

import pytest
from flask import current_app

from tests.blacklist.cases import listed
from tests.browser import judging
from tests.factories import make_account, make_session
from tests.trades import rooms
from tests.worlds import A_DAY, make_listing, make_trade
from tradeboard.accounts.rules.standing import Role
from tradeboard.core import clock

pytestmark = pytest.mark.browser

VENDOR = Path(__file__).parent / "vendor"
AXE = VENDOR / "axe.min.js"
RUN = """axe.run(document, {preload: false, resultTypes: ["violations"]}).then(found =>
  found.violations.map(v => `${v.id}: ${v.nodes.map(n => n.target).join(", ")}`))"""
LANGUAGES = ("ja", "en")


@pytest.fixture
def read_in(open_browser, board):
    """Return how to open a browser that reads a language."""

    def read_in(language):
        page = open_browser()
        cookie = {"name": "language", "value": language, "url": board}
        page.context.add_cookies([cookie])
        return page

    return read_in


@pytest.fixture
def people(board):
    """Return Alice, Bob and a moderator."""
    now = clock.now()
    return (
        make_account("alice", created_at=now - 30 * A_DAY),
        make_account("bob", created_at=now - 30 * A_DAY),
        make_account("mod", role=Role.MODERATOR),
    )


def test_the_vendored_copy_is_the_published_one():
    said = tomllib.loads((VENDOR / "VENDOR.toml").read_text())["axe-core"]
    assert hashlib.sha256(AXE.read_bytes()).hexdigest() == said["sha256"]
    assert f"axe v{said['version']}" in AXE.read_text(encoding="utf-8")[:40]


@pytest.mark.in_turn("language")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_visitors_pages_have_no_violations(read_in, people, language):
    alice = people[0]
    listing = make_listing(alice, at=clock.now() - A_DAY)
    page = read_in(language)

    paths = [
        "/",
        f"/listings/{listing.id}",
        "/login",
        "/register",
        "/blacklist",
        "/terms",
    ]
    assert violations(page, paths) == []


@pytest.mark.parametrize("language", ["ja"])
def test_a_members_pages_have_no_violations(read_in, sign_in, people, language):
    alice, bob, _ = people
    trade = make_trade(alice, bob, sent_by=[bob], at=clock.now() - A_DAY)
    calling = _up_to_the_call(alice, bob)
    page = read_in(language)
    sign_in(page, alice)

    paths = ["/listings/new", f"/trades/{trade.id}", f"/trades/{calling}/call", "/todo"]
    assert violations(page, paths) == []


@pytest.mark.parametrize("language", ["en"])
def test_the_look_up_and_the_desk_have_no_violations(
    read_in, sign_in, people, language
):
    alice, bob, moderator = people
    entry = listed(alice, bob, at=clock.now() - 15 * A_DAY)
    page = read_in(language)
    sign_in(page, moderator)

    paths = ["/blacklist?handle=bob", "/desk", f"/desk/entries/{entry.id}"]
    assert violations(page, paths) == []


def violations(page, paths):
    """Return what axe finds on these pages, each shown at its full height."""
    found = []
    for path in paths:
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.goto(path).ok, path
        judging.show_whole(page, 390)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found += [f"{path} {violation}" for violation in page.evaluate(RUN)]
    return found


def _up_to_the_call(alice, bob):
    """Let both agree and seal; return the trade whose numbers are open."""
    one, other = _client(alice), _client(bob)
    trade_id = rooms.propose(alice, other)
    assert rooms.accept(one, trade_id).status_code == 303
    rooms.seal_both(trade_id, one, other)
    return trade_id


def _client(account):
    client = current_app.test_client()
    token = make_session(account)
    with client.session_transaction() as session:
        session["_user_id"] = token
    return client
