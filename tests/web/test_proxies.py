"""Behind a proxy everybody is counted alone, and nobody says where they come from."""

import shutil
from pathlib import Path

import pytest

from tests.factories import count
from tradeboard.app import create_app
from tradeboard.core.db import db
from tradeboard.core.throttle import ThrottleBucket

PROXY = "127.0.0.1"


@pytest.fixture
def behind(apps, ring, tmp_path):
    """Return how to make a board with so many proxies of its own in front."""

    def behind(hops):
        with apps("sqlite").app_context():
            empty = Path(db.engine.url.database).with_suffix(".empty")
        file = tmp_path / f"{hops}.sqlite3"
        shutil.copyfile(empty, file)
        return create_app(
            TESTING=True,
            SECRET_KEY="a secret of the tests that is long enough",
            DATABASE_URL=f"sqlite:///{file}",
            KEYRING=ring,
            UPLOADS=tmp_path / "uploads",
            TRUSTED_PROXY_HOPS=hops,
        )

    return behind


def lines_of(app):
    """Return how many lines were counted so far."""
    with app.app_context():
        return count(ThrottleBucket)


def counted(app, *chains):
    """Ask once for each chain of addresses; return how many lines are new."""
    before = lines_of(app)
    for chain in chains:
        answer = app.test_client().get(
            "/suggest?q=a",
            headers={"X-Forwarded-For": chain},
            environ_base={"REMOTE_ADDR": PROXY},
        )
        assert answer.status_code == 200
    return lines_of(app) - before


def test_two_clients_of_one_proxy_have_two_counts_and_a_forged_hop_none(behind):
    app = behind(1)

    assert counted(app, "203.0.113.5", "203.0.113.6") == 2
    assert counted(app, "198.51.100.9, 203.0.113.5", "::1, 203.0.113.6") == 0


def test_without_a_proxy_of_our_own_nobody_says_where_they_come_from(behind):
    app = behind(0)

    assert counted(app, "203.0.113.5", "203.0.113.6", "198.51.100.9") == 1
