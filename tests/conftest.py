"""An application on an empty database, for each database there is, and the cast."""

import gc
import json
import os
import shutil
import sqlite3
import time
import zlib
from collections import Counter
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
import structlog
from flask.testing import FlaskClient
from flask_migrate import upgrade
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import event, update

from tests import catalogues, databases
from tests.factories import make_account, make_session
from tradeboard.accounts.rules.standing import Role
from tradeboard.app import create_app
from tradeboard.cli import rotating
from tradeboard.core import garbage, kept, keyfile, keyring
from tradeboard.core.db import db, writing
from tradeboard.site.queries import frame
from tradeboard.trades.models import Trade

KEPT = {"alembic_version", "terms_version", "audit_head", "feed_head"}
# Few tests, but long ones; begun last, they would leave a processor idle.
LONG = (
    "tests/test_canaries",
    "tests/test_data_guarantees",
    "tests/test_guarantees",
    "tests/test_security",
    "tests/browser",
    "tests/demo",
    "tests/stories",
    "tests/soaks",
    "tests/keeping",
    "tests/test_front_door",
    "tests/test_migrating",
    "tests/test_migrations",
    "tests/test_scheduler",
    "tests/test_unsafe",
    "tests/test_ways_in",
    "tests/trades/test_table",
    "tests/web/test_doors",
)


class Client(FlaskClient):
    """Gives each request a session of its own, as a server does."""

    def open(self, *args, **kwargs):
        """Send one request."""
        db.session.rollback()  # so that the test, too, reads anew afterwards
        kept.forget_all()
        with self.application.app_context():
            return super().open(*args, **kwargs)


@pytest.fixture(scope="session", autouse=True)
def rare_collections():
    """Look for garbage seldom: what the imports made stays, and tests make little."""
    gc.collect()
    garbage.look_seldom()


@pytest.fixture(scope="session", autouse=True)
def plain_log():
    """Write log lines without columns and colours, which cost more than they help."""
    render = structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    structlog.configure(processors=[structlog.stdlib.add_log_level, render])


@pytest.fixture(scope="session", autouse=True)
def english():
    """Compile the catalogues that the pages read."""
    catalogues.compile_all()


@pytest.fixture(scope="session")
def ring(tmp_path_factory):
    """Return the file with this run's keys."""
    path = tmp_path_factory.mktemp("keys") / "keyring.json"
    keyfile.write_if_missing(path)
    return path


@pytest.fixture(scope="session")
def apps(tmp_path_factory, ring):
    """Return how to get the one application of a database, migrated and empty."""
    made = {}

    def get(kind):
        if kind not in made:
            folder = tmp_path_factory.mktemp(kind)
            made[kind] = new_app(folder, ring, databases.url(kind, folder))
        return made[kind]

    yield get
    for app in made.values():
        with app.app_context():
            db.engine.dispose()


def new_app(folder, ring, url, **settings):
    """Make an application and bring its database up to date."""
    app = create_app(
        TESTING=True,
        SECRET_KEY="a secret of the tests that is long enough",
        DATABASE_URL=url,
        KEYRING=ring,
        UPLOADS=folder / "uploads",
        AUDIT_ANCHORS=folder / "audit-anchors.jsonl",
        ARGON2_MEMORY=64,
        ARGON2_ROUNDS=1,
        **{"QUICKEST_FORM": 0} | settings,
    )
    app.test_client_class = Client
    # Compiled once for all applications and workers of this run.
    app.jinja_env.bytecode_cache = FileSystemBytecodeCache(compiled_templates(ring))
    with app.app_context():
        if url.startswith("sqlite"):
            event.listen(db.engine, "connect", spare_the_disk)
            event.listen(db.engine, "connect", keep_no_order)
        upgrade()
        db.engine.dispose()
        if url.startswith("sqlite"):
            keep_empty(Path(db.engine.url.database))
    return app


def keep_empty(file):
    """Keep a copy of a migrated SQLite file, in the mode that the board wants."""
    copy = str(file.with_suffix(".empty"))
    with closing(sqlite3.connect(file)) as source:
        source.execute("VACUUM INTO ?", [copy])
    with closing(sqlite3.connect(copy)) as made:
        made.execute("PRAGMA journal_mode = WAL")


def compiled_templates(ring):
    """Make the folder of compiled templates, above those of the workers."""
    run = next(f for f in ring.parents if not f.name.startswith(("keys", "popen")))
    folder = run / "templates"
    folder.mkdir(exist_ok=True)
    return str(folder)


def spare_the_disk(connection, _):
    """Let tests lose their data in a power cut; waiting for the disk costs time."""
    connection.execute("PRAGMA synchronous = OFF")


def keep_no_order(connection, _):
    """Turn around what nobody ordered: PostgreSQL promises no order, either."""
    connection.execute("PRAGMA reverse_unordered_selects = ON")


def start_empty(app):
    """Bring the database back to how the migrations left it."""
    if db.engine.dialect.name == "sqlite":
        db.engine.dispose()
        file = Path(db.engine.url.database)
        for suffix in ("-wal", "-shm"):
            Path(f"{file}{suffix}").unlink(missing_ok=True)
        shutil.copyfile(file.with_suffix(".empty"), file)
        return
    token = writing.set(True)
    with db.engine.begin() as connection:
        databases.empty(
            connection,
            db.metadata.sorted_tables,
            KEPT,
            "DELETE FROM terms_version WHERE number > 1",
            "UPDATE audit_head SET seq = 0, hash = repeat('0', 64)",
            "UPDATE feed_head SET seq = 0",
        )
    writing.reset(token)


def know_the_site():
    """Know that the operator says nothing yet, so that no page asks by chance.

    An hour from now it would be asked again, so that a slow test counts no more.
    """
    frame._kept.state, frame._kept.read_at = frame.State(), time.monotonic() + 3600


@pytest.fixture(params=databases.KINDS)
def app(request, apps):
    """Return the application on an empty database; the test runs on each kind."""
    app = apps(request.param)
    with app.app_context():
        start_empty(app)
        app.config["AUDIT_ANCHORS"].unlink(missing_ok=True)
        know_the_site()
        kept.forget_all()
        yield app
        db.session.remove()


@pytest.fixture
def own_keys(app, ring, tmp_path, monkeypatch):
    """Return a file of keys that only this test changes; it begins with the run's."""
    path = tmp_path / "own" / "keyring.json"
    path.parent.mkdir()
    shutil.copyfile(ring, path)
    monkeypatch.setitem(app.config, "KEYRING", path)
    keyring.use_file(path)
    yield path
    keyring.use_file(ring)


@pytest.fixture
def rotate(app, own_keys, monkeypatch):
    """Return how to rotate keys as the command does: what it says, by purpose."""
    monkeypatch.setattr(rotating, "WAIT_S", 0)
    runner = app.test_cli_runner()

    def rotate(*arguments):
        db.session.rollback()
        result = runner.invoke(args=["keys", "rotate", *arguments, "--json"])
        if result.exception is not None:
            raise result.exception
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return {line.pop("purpose"): line for line in lines}

    return rotate


@pytest.fixture
def write(app):
    """Let everything in the test write; for tests that call services directly."""
    db.session.rollback()
    token = writing.set(True)
    yield
    db.session.rollback()
    writing.reset(token)


@pytest.fixture
def alice(app):
    """She swaps with Bob."""
    return make_account("alice")


@pytest.fixture
def bob(app):
    """He swaps with Alice."""
    return make_account("bob")


@pytest.fixture
def charlie(app):
    """He has nothing to do with it."""
    return make_account("charlie")


@pytest.fixture
def moderator(app):
    """She decides."""
    return make_account("mod", role=Role.MODERATOR)


@pytest.fixture
def log_in(app):
    """Return how to get a browser in which somebody is signed in."""

    def log_in(account):
        client = app.test_client()
        token = make_session(account)
        with client.session_transaction() as session:
            session["_user_id"] = token
        return client

    return log_in


@pytest.fixture
def overtake():
    """Return how to let somebody else write the trade first, in the next change."""

    def overtake():
        @event.listens_for(Trade, "before_update", once=True)
        def write_first(_, connection, trade):
            connection.execute(update(Trade).values(version=Trade.version + 1))

    return overtake


@pytest.fixture
def statements(app):
    """Count the statements that reach the database: `with statements() as seen`."""
    return databases.Counter(db.engine)


def pytest_addoption(parser):
    """Let whoever waits for the tests see each page once, and a part of the rest."""
    parser.addoption(
        "--alternate",
        action="store_true",
        help="tests of pages take turns between the databases, all others run on each; "
        "the browser looks at a quarter of the pages, half of those who are refused "
        "try a door, and what takes long takes turns: all drawn by the seed of the run",
    )


@cache
def asks_for_pages(path):
    """Tell whether a file of tests asks as a browser does."""
    text = path.read_text(encoding="utf-8")
    return any(word in text for word in ("log_in", "test_client", "page_forms"))


def has_its_turn(item, seed):
    """Tell whether a test runs; the seed decides for those that are `in_turn`."""
    marked = item.get_closest_marker("in_turn")
    if marked is not None:
        at = [item.callspec.indices[name] for name in marked.args]
        turn = zlib.crc32(f"{item.path.name} {item.originalname} {seed}".encode())
        return sum(at) % 2 == turn % 2
    return runs_on(item)


def runs_on(item):
    """Tell whether a test of pages runs on this database; its name alone decides."""
    kind = getattr(item, "callspec", None) and item.callspec.params.get("app")
    if kind not in databases.KINDS or "write" in item.fixturenames:
        return True
    if not asks_for_pages(item.path):
        return True
    turn = zlib.crc32(item.nodeid.replace(kind, "").encode()) % len(databases.KINDS)
    return kind == databases.KINDS[turn]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Begin with long files, then those of many tests; workers idle less at the end."""
    if config.getoption("--alternate"):
        seed = config.getoption("randomly_seed")
        elsewhere = [item for item in items if not has_its_turn(item, seed)]
        config.hook.pytest_deselected(items=elsewhere)
        items[:] = [item for item in items if has_its_turn(item, seed)]
    sizes = Counter(item.path for item in items)

    def turn(item):
        is_long = item.nodeid.startswith(LONG)
        return not is_long, -sizes[item.path], str(item.path)

    items.sort(key=turn)


def pytest_report_header():
    """Say what this run can and cannot test."""
    return databases.report() + [f"CI: {os.environ.get('CI', 'no')}"]
