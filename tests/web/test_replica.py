"""What a replica answers, what it never does, and what happens when it falls behind."""

import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import event

from tests import databases, standby
from tests.api.cases import ask, make_key
from tests.blacklist.cases import entry_of, listed
from tests.conftest import new_app, start_empty
from tests.factories import make_account, make_session
from tests.worlds import make_listing
from tradeboard.accounts.rules.standing import Role
from tradeboard.app import MAY_BE_BEHIND
from tradeboard.core import clock, replica
from tradeboard.core.db import ON_PRIMARY, REPLICA, db
from tradeboard.core.transaction import transaction
from tradeboard.web.replica import OWN_WRITES, WATCH, WROTE

pytestmark = pytest.mark.skipif(
    standby.reason_against() is not None, reason=str(standby.reason_against())
)

CHECK = "/api/v1/blacklist/check?handle="


@pytest.fixture(scope="module")
def two_servers(tmp_path_factory, ring):
    """Return an application with a standby beside its primary."""
    folder = tmp_path_factory.mktemp("replica")
    url = databases.url("postgresql", folder)
    with standby.following() as follower:
        there = follower.url_of(url)
        app = new_app(folder, ring, url, DATABASE_REPLICA_URL=there)
        app.extensions[WATCH]._wake = lambda: None  # Tests look themselves.
        yield SimpleNamespace(app=app, standby=follower, url=url)
        with app.app_context():
            for engine in db.engines.values():
                engine.dispose()


@pytest.fixture
def board(two_servers, monkeypatch):
    """Return the two with nothing in them, each in step with the other."""
    two_servers.later = 0.0
    begun = time.monotonic()  # It goes on when a test says so, however slow that is.
    moved = SimpleNamespace(monotonic=lambda: begun + two_servers.later)
    monkeypatch.setattr(replica, "time", moved)
    watch = two_servers.watch = two_servers.app.extensions[WATCH]
    watch.__init__(watch.primary, watch.replica)
    with two_servers.app.app_context():
        start_empty(two_servers.app)
        yield two_servers
        db.session.remove()


@pytest.fixture
def asked(board):
    """Collect which statements reach which server."""
    seen = {None: [], REPLICA: []}

    def note_for(key):
        def note(_connection, _cursor, statement, *_):
            if "pg_" not in statement:  # A look at how far they are.
                seen[key].append(statement)

        return note

    notes = {key: note_for(key) for key in seen}
    for key, note in notes.items():
        event.listen(db.engines[key], "before_cursor_execute", note)

    def since_last():
        found = {key: seen[key][:] for key in seen}
        for statements in seen.values():
            statements.clear()
        return found

    yield since_last
    for key, note in notes.items():
        event.remove(db.engines[key], "before_cursor_execute", note)


def in_step(board):
    """Let the replica catch up, and know it."""
    board.watch.look()
    board.standby.catch_up(board.url)
    board.watch.look()


def browser_of(board, account):
    client = board.app.test_client()
    token = make_session(account)
    with client.session_transaction() as session:
        session["_user_id"] = token
    return client


def test_public_pages_come_from_the_replica_and_who_reads_them_does_not(board, asked):
    alice, bob = make_account("alice"), make_account("bob")
    listing = make_listing(alice)
    listed(alice, bob)
    key = make_key("feed")
    paths = {
        "blacklist.browse": "/blacklist/list",
        "blacklist.numbers": "/blacklist/numbers",
        "blacklist_api.changes": "/api/v1/blacklist/changes",
        "blacklist_api.check": f"{CHECK}bob",
        "blacklist_api.export": "/api/v1/blacklist/export.ndjson",
        "cards.of_member": "/u/bob/cards",
        "listings.atom": "/feed.atom",
        "listings.board": "/",
        "listings.json_feed": "/feed.json",
        "listings.show": f"/listings/{listing.id}",
        "listings.suggest": "/suggest?q=a",
        "profiles.show": "/u/bob",
    }
    assert paths.keys() == MAY_BE_BEHIND.keys()
    browser = browser_of(board, alice)
    in_step(board)
    asked()

    for endpoint, path in paths.items():
        if endpoint.startswith("blacklist_api."):
            answer = ask(board.app, path, key)
        else:
            answer = browser.get(path)
        assert answer.status_code == 200, path
        statements = asked()
        assert statements[REPLICA], path
        for statement in statements[REPLICA]:
            words = set(statement.replace(".", " ").replace('"', "").split())
            assert not words & ON_PRIMARY, (path, statement)
        assert any(table in str(statements[None]) for table in ("session", "api_key"))
    assert [entry.handle for entry in [entry_of(bob)]] == ["bob"]
    assert asked()[REPLICA] == []


def test_whoever_wrote_and_staff_read_from_the_primary(board, asked):
    alice = make_account("alice")
    browser = browser_of(board, alice)
    moderator = browser_of(board, make_account("mod", role=Role.MODERATOR))
    board.app.config["WTF_CSRF_ENABLED"] = False
    in_step(board)
    assert browser.get("/").status_code == 200
    assert asked()[REPLICA]
    assert browser.post("/listings/new").status_code == 303
    board.app.config["WTF_CSRF_ENABLED"] = True

    asked()
    browser.get("/")
    assert not asked()[REPLICA]
    moderator.get("/")
    assert not asked()[REPLICA]

    with browser.session_transaction() as session:
        long_ago = clock.now() - OWN_WRITES - timedelta(seconds=1)
        assert session[WROTE] > long_ago.isoformat()
        session[WROTE] = long_ago.isoformat()
    browser.get("/")
    assert asked()[REPLICA]


def test_a_replica_that_is_held_back_leaves_and_comes_back(board, asked):
    alice, bob = make_account("alice"), make_account("bob")
    in_step(board)
    assert board.watch.lag() < timedelta(seconds=5)
    board.standby.hold_back()
    try:
        listed(alice, bob)
        board.watch.look()
        assert ask(board.app, f"{CHECK}bob").json["status"] == "none"  # A moment old.
        asked()

        board.later += 6
        board.watch.look()
        assert timedelta(seconds=6) <= board.watch.lag() < timedelta(seconds=10)
        board.app.test_client().get("/")
        assert not asked()[REPLICA]
        ask(board.app, f"{CHECK}bob")
        assert [s for s in asked()[REPLICA] if "entry" in s]

        board.later += 5
        board.watch.look()
        assert ask(board.app, f"{CHECK}bob").json["status"] == "listed"
        assert not [s for s in asked()[REPLICA] if "entry" in s]
    finally:
        board.standby.go_on()
    in_step(board)
    board.app.test_client().get("/")
    assert asked()[REPLICA]


def test_nothing_is_read_from_a_replica_of_which_nothing_is_known(board, asked):
    make_account("alice")
    assert board.watch.lag() is None
    board.app.test_client().get("/")
    assert not asked()[REPLICA]

    board.standby.hold_back()
    try:
        make_account("bob")
        board.watch.look()  # Nobody knows since when it has been behind.
        assert board.watch.lag() is None
    finally:
        board.standby.go_on()
    board.standby.catch_up(board.url)
    board.watch.replica = db.engines[None]
    board.watch.look()  # No standby, so it repeats nothing.
    assert board.watch.lag() is None
    board.watch.replica = db.engines[REPLICA]


def test_changes_are_written_on_the_primary_within_a_page_of_the_replica(board, asked):
    make_account("alice")
    key = make_key("feed")
    in_step(board)
    asked()

    assert ask(board.app, f"{CHECK}alice", key).status_code == 200  # Notes the use.

    both = asked()
    assert any(s.startswith("UPDATE api_key") for s in both[None])
    assert both[REPLICA]


def test_a_replica_that_is_gone_costs_one_look_and_no_page(board, asked):
    with transaction():
        pass
    in_step(board)
    board.app.test_client().get("/")
    assert asked()[REPLICA]

    board.standby.stop()
    for _ in range(3):
        assert board.app.test_client().get("/").status_code == 200
    board.watch.look()
    assert not board.watch.may_answer(timedelta(seconds=5))
    board.standby.start()
    board.later += 11
    in_step(board)
    assert board.watch.may_answer(timedelta(seconds=5))
