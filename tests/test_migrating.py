"""Nodes that migrate at once, and tables that somebody is using."""

import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from flask_migrate import upgrade

from tests import databases
from tests.test_migrations import FIRST, tables
from tradeboard.app import create_app
from tradeboard.core.db import db
from tradeboard.core.engines import LIMITS

PATIENCE = 20.0
MIGRATION = 782164
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture
def old(tmp_path, ring, monkeypatch):
    """Return where a board of the first schema is; its locks are waited for briefly."""
    monkeypatch.setitem(LIMITS, "lock_timeout", "200")
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
            until = time.monotonic() + PATIENCE
            while not look.execute(WAITING).fetchone()[0]:
                assert time.monotonic() < until
                time.sleep(0.02)
            time.sleep(0.5)  # More than a lock of a table is waited for.
        other.commit()

    with psycopg.connect(old) as other, ThreadPoolExecutor() as pool:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION])
        elsewhere = pool.submit(migrate_elsewhere)
        upgrade()
        elsewhere.result()

    assert "node" in tables()


def test_a_migration_makes_way_for_a_long_transaction_and_comes_back(old, caplog):
    def read_long():
        time.sleep(1.0)
        reader.commit()

    with psycopg.connect(old) as reader, ThreadPoolExecutor() as pool:
        reader.execute("SELECT count(*) FROM account")
        reading = pool.submit(read_long)
        upgrade()
        reading.result()

    assert "node" in tables()
