"""A board moves to another database whole, or not at all."""

import json
import os

import pytest
from sqlalchemy import func, select, text

from tests import databases
from tests.api.cases import make_key
from tests.blacklist.cases import listed
from tests.conftest import new_app, start_empty
from tests.factories import make_account, make_session
from tests.worlds import make_listing
from tradeboard.accounts.models import Account
from tradeboard.audit import queries as audit
from tradeboard.audit.models import AuditHead
from tradeboard.core import copying, instance_lock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.trades.models import Trade

SEEDED = {"audit_head", "feed_head", "terms_version"}


@pytest.fixture(scope="module")
def targets(tmp_path_factory, ring):
    """Return how to get an empty board of a kind; each is made once."""
    made = {}

    def get(kind):
        if kind not in made:
            folder = tmp_path_factory.mktemp(f"target-{kind}")
            made[kind] = new_app(folder, ring, databases.url(kind, folder))
        with made[kind].app_context():
            start_empty(made[kind])
            db.engine.dispose()
        return made[kind]

    return get


@pytest.fixture
def filled(app):
    """Fill the board with something of most kinds; return where it is."""
    alice, bob = make_account("alice"), make_account("bob")
    make_listing(alice, note="「星霜」の竜🐉、\\ と ' と \" も")
    listed(alice, bob)
    make_key("feed", by=alice)
    make_session(alice)
    return app


@pytest.fixture
def target(app, targets):
    """Return an empty board on the other kind of database."""
    other = {"sqlite": "postgresql", "postgresql": "sqlite"}
    return targets(other[db.engine.dialect.name])


def url_of(app):
    return app.config["SQLALCHEMY_DATABASE_URI"]


def copy(source, target):
    """Copy as the command does, with nobody else connected."""
    db.session.remove()
    db.engine.dispose()
    arguments = ["copy-database", url_of(source), url_of(target), "--json"]
    return source.test_cli_runner().invoke(args=arguments)


def contents(app):
    """Return what each table of a board says."""
    with app.app_context(), db.engine.connect() as connection:
        found = {
            table.name: copying.content(table, connection)
            for table in db.metadata.sorted_tables
        }
        connection.rollback()
    return found


def is_empty(app):
    return all(
        content.rows == (name in SEEDED) for name, content in contents(app).items()
    )


def test_every_row_arrives_and_the_board_goes_on_there(filled, target):
    before = contents(filled)

    result = copy(filled, target)

    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said["tables"] == {name: found.rows for name, found in before.items()}
    assert said["rows"] > 40
    assert said["audit_rows"] == before["audit_row"].rows > 0
    assert contents(target) == before == contents(filled)
    with target.app_context():
        assert audit.verify().broken is None
        known = db.session.scalars(select(Account.id)).all()
        trades = db.session.scalar(select(func.max(Trade.id)))
        entry = listed(make_account("carol"), make_account("dave"))
        assert entry.account_id not in known
        assert entry.trade_id > trades
        assert entry.state == "listed"
        db.session.remove()
        db.engine.dispose()

    again = copy(filled, target)

    assert again.exit_code == 1
    assert "The target is not empty" in again.output


def test_a_failure_in_the_middle_leaves_nothing_there(filled, target, monkeypatch):
    whole = copying._copy

    def fail(table, here, there):
        if table.name == "trade":
            raise copying.Refused("The disk is full.")
        return whole(table, here, there)

    with monkeypatch.context() as patched:
        patched.setattr(copying, "_copy", fail)
        result = copy(filled, target)

    assert result.exit_code == 1
    assert "The disk is full. Nothing was copied." in result.output
    assert is_empty(target)
    with transaction():
        db.session.get(AuditHead, 1).hash = "0" * 64

    result = copy(filled, target)

    assert result.exit_code == 1
    assert "audit log" in result.output
    assert is_empty(target)


def test_nothing_is_copied_from_a_board_that_runs(filled, target):
    arguments = ["copy-database", url_of(filled), url_of(target)]
    instance_lock.hold_shared(filled)
    try:
        with db.engine.connect() as connection:
            connection.execute(text("SELECT 1"))
            result = filled.test_cli_runner().invoke(args=arguments)
    finally:
        os.close(instance_lock._held.pop(instance_lock.lock_file(filled)))

    assert result.exit_code == 1
    assert "stop" in result.output
    assert is_empty(target)


def test_both_must_be_of_the_release(filled, tmp_path):
    file = tmp_path / "new.sqlite3"
    nowhere = f"sqlite:///{file}"
    invoke = filled.test_cli_runner().invoke
    db.session.remove()
    db.engine.dispose()

    missing = invoke(args=["copy-database", url_of(filled), nowhere])
    file.touch()
    unmade = invoke(args=["copy-database", url_of(filled), nowhere])
    other = invoke(args=["copy-database", "mysql://localhost/x", nowhere])

    assert "There is no file" in missing.output
    assert "The tables of the target are of revision None" in unmade.output
    assert "mysql is no database for a board" in other.output
