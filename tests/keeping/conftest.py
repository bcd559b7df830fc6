"""A board whose photos and backups lie in folders of the test."""

import os

import pytest

from tests.conftest import know_the_site, start_empty
from tests.keeping.under_load import PROGRAMS
from tradeboard.core.db import db


@pytest.fixture(autouse=True)
def programs(monkeypatch):
    """Let the programs of the wheel's PostgreSQL be found."""
    monkeypatch.setenv("PATH", f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def folders(app, tmp_path, monkeypatch):
    """Return the folder of this test; photos, anchors and backups lie there."""
    return _settle(app, tmp_path, monkeypatch)


@pytest.fixture
def sqlite_app(apps, tmp_path, monkeypatch):
    """Return an application on an empty file, for what is alike on both databases."""
    app = apps("sqlite")
    with app.app_context():
        start_empty(app)
        know_the_site()
        _settle(app, tmp_path, monkeypatch)
        yield app
        db.session.remove()


def _settle(app, folder, monkeypatch):
    for name, place in (
        ("UPLOADS", "uploads"),
        ("BACKUPS", "backups"),
        ("AUDIT_ANCHORS", "anchors.jsonl"),
    ):
        monkeypatch.setitem(app.config, name, folder / place)
    return folder
