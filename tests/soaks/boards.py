"""Empty boards for the soaks, one on each database."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from flask import Flask
from flask_migrate import upgrade

from tests import databases
from tradeboard.app import create_app
from tradeboard.core import keyfile, keyring
from tradeboard.core.db import db

ROOT = Path(__file__).parents[2]
SECRET = "a secret of the tests that is long enough"
TRYING = {"TRADEBOARD_LOG_LEVEL": "ERROR", "TRADEBOARD_QUICKEST_FORM": "0"}


@contextlib.contextmanager
def board(kind: str, folder: Path, url: str | None = None):
    """Make an empty board; what its commands need in their environment.

    Without the `url` of an empty database it gets a new one of that kind.
    """
    ring = folder / "keyring.json"
    keyfile.write_if_missing(ring)
    settings = {
        "SECRET_KEY": SECRET,
        "DATABASE_URL": url or databases.url(kind, folder),
        "KEYRING": str(ring),
        "UPLOADS": str(folder / "uploads"),
        "AUDIT_ANCHORS": str(folder / "audit-anchors.jsonl"),
    }
    before = keyring._Holder.ring
    app = create_app(TESTING=True, QUICKEST_FORM=0, **settings)
    try:
        with app.app_context():
            upgrade()
            named = {f"TRADEBOARD_{name}": value for name, value in settings.items()}
            yield {**os.environ, **named, **TRYING}
            db.session.remove()
            db.engine.dispose()
    finally:
        keyring.use(before)


def environment_of(app: Flask) -> dict[str, str]:
    """Return what another process needs to serve the board of an application."""
    names = ("SECRET_KEY", "DATABASE_URL", "KEYRING", "UPLOADS", "AUDIT_ANCHORS")
    named = {f"TRADEBOARD_{name}": str(app.config[name]) for name in names}
    return {**os.environ, **named, **TRYING}


def application(environment):
    """Return the application of a board, as tests use it."""
    names = ("SECRET_KEY", "DATABASE_URL", "KEYRING", "UPLOADS", "AUDIT_ANCHORS")
    settings = {name: environment[f"TRADEBOARD_{name}"] for name in names}
    return create_app(TESTING=True, QUICKEST_FORM=0, **settings)


def on_each_database(run: Callable[[Flask, Path], int]) -> int:
    """Do it on an empty board of each kind; return how many violations there were."""
    violations = 0
    for kind in databases.KINDS:
        with TemporaryDirectory() as folder, board(kind, Path(folder)) as environment:
            app = application(environment)
            with app.app_context():
                violations += run(app, Path(folder))
                db.session.remove()
                db.engine.dispose()
    return violations
