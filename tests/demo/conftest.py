"""A board that has been filled, once for each database; its tests change nothing."""

from datetime import UTC, datetime

import pytest

from tests import databases
from tests.conftest import new_app
from tradeboard.core.db import db
from tradeboard.demo import world

SEEDED_AT = datetime(2026, 12, 1, 3, tzinfo=UTC)


@pytest.fixture(scope="session")
def boards(tmp_path_factory, ring):
    """Return how to get the filled board of a database."""
    made = {}

    def get(kind):
        if kind not in made:
            folder = tmp_path_factory.mktemp(f"demo-{kind}")
            made[kind] = app = new_app(
                folder, ring, databases.url(kind, folder), DEMO=True
            )
            app.instance_path = str(folder / "instance")
            with app.app_context():
                app.made = world.seed(SEEDED_AT)
                db.session.remove()
        return made[kind]

    yield get
    for app in made.values():
        with app.app_context():
            db.engine.dispose()


@pytest.fixture
def board(boards):
    """Return the application on the filled board; a broken seeding runs on both."""
    app = boards("sqlite")
    with app.app_context():
        yield app
        db.session.remove()
