"""Nodes that migrate at once, and tables that somebody is using."""

import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from alembic.script import ScriptDirectory
from flask import current_app
from flask_migrate import upgrade
from sqlalchemy import event

from tests import databases
from tests.test_migrations import FIRST, tables
from tradeboard.app import create_app
from tradeboard.core.db import db

PATIENCE = 20.0
MIGRATION = 782164
TAKEN = """
    SELECT relname FROM pg_locks JOIN pg_class ON pg_class.oid = relation
    WHERE pid = pg_backend_pid() AND mode = 'AccessExclusiveLock' AND relkind = 'r'
"""
WANTS_ACCOUNT, WANTS_TRADE = (
    f"SELECT count(*) FROM pg_locks WHERE relation = '{name}'::regclass AND NOT granted"  # noqa: S608 (names of our own)
    for name in ("account", "trade")
)
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture
def old(tmp_path, ring):
    """Return where a board of the first schema is."""
    app = create_app(
        TESTING=True,
        SECRET_KEY="a secret of the tests that is long enough",
        DATABASE_URL=databases.url("postgresql", tmp_path),
        KEYRING=ring,
    )
    with app.app_context():
        upgrade(revision=FIRST)
        yield app.config["SQLALCHEMY_DATABASE_URI"]
        db.session.remove()
        db.engine.dispose()


def test_a_node_waits_while_another_one_migrates(old):
    def migrate_elsewhere():
        with psycopg.connect(old, autocommit=True) as look:
            _until(look, WAITING)
            time.sleep(1.0)  # More than a lock of a table is waited for.
        other.commit()

    with psycopg.connect(old) as other, ThreadPoolExecutor() as pool:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION])
        elsewhere = pool.submit(migrate_elsewhere)
        upgrade()
        elsewhere.result()

    assert "node" in tables()


def test_a_migration_makes_way_for_a_long_transaction_and_comes_back(old):
    def read_long():
        with psycopg.connect(old, autocommit=True) as look:
            _until(look, WANTS_ACCOUNT)
            _until(look, f"SELECT ({WANTS_ACCOUNT}) = 0")  # It has given way,
            _until(look, WANTS_ACCOUNT)  # and come back.
        reader.commit()

    with psycopg.connect(old) as reader, ThreadPoolExecutor() as pool:
        reader.execute("SELECT count(*) FROM account")
        reading = pool.submit(read_long)
        upgrade()
        reading.result()

    assert "node" in tables()


def test_a_page_that_wants_what_a_migration_has_is_not_ended_by_the_database(old):
    def want_more():
        with psycopg.connect(old, autocommit=True) as look:
            _until(look, WANTS_TRADE)
            page.execute("SELECT count(*) FROM account")
            _until(look, WANTS_ACCOUNT)  # It has come back, and waits again.
        page.commit()

    with psycopg.connect(old) as page, ThreadPoolExecutor() as pool:
        page.execute("SELECT count(*) FROM trade")
        wanting = pool.submit(want_more)
        upgrade()
        wanting.result()

    assert "node" in tables()


def test_each_migration_names_the_tables_that_nobody_may_read_meanwhile(old):
    config = current_app.extensions["migrate"].migrate.get_config()
    newest_first = list(ScriptDirectory.from_config(config).walk_revisions())
    named = [set(getattr(one.module, "alters", ())) for one in newest_first]
    unnamed, before = {}, set(tables())

    for at, one in reversed(list(enumerate(newest_first))):
        held = set()

        def look(connection, held=held):
            held.update(connection.exec_driver_sql(TAKEN).scalars())

        event.listen(db.engine, "commit", look)
        upgrade(revision=one.revision)
        event.remove(db.engine, "commit", look)
        # What newer ones alter is taken, too.
        unnamed[one.revision] = (held & before).difference(*named[: at + 1])
        before = set(tables())

    assert not any(unnamed.values()), unnamed


def _until(look, asked):
    until = time.monotonic() + PATIENCE
    while not look.execute(asked).fetchone()[0]:
        assert time.monotonic() < until
        time.sleep(0.02)
