"""D6: migrations lose nothing, from each released schema, with a filled board."""

import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa
from alembic.script import ScriptDirectory
from flask import current_app
from flask_migrate import downgrade, upgrade

from tests import databases
from tests.soaks import growing, guarantees
from tests.soaks.boards import application, board
from tests.test_migrations import broken_references, columns, rows, schema
from tradeboard.core import clock
from tradeboard.core.db import db, writing
from tradeboard.demo import world

# Computed anew from what was posted, on the way up.
COMPUTED = {"listing": {"search_key", "text_digest"}, "line": {"key"}}
INDEX = "listing_token"


def main(*, quick: bool, minutes: float) -> int:
    """Fill a board, and move its rows through the schemas on each database.

    Quick is a part of the tests, with a row in every table.
    """
    if quick:
        return 0
    violations = 0
    with TemporaryDirectory() as folder, board("sqlite", Path(folder)) as environment:
        app = application(environment)
        app.instance_path = str(Path(folder) / "instance")
        with app.app_context():
            world.seed(clock.now())
            db.session.remove()
            for kind in databases.KINDS:
                violations += run(db.engine, kind)["violations"]
            db.engine.dispose()
    return violations


def run(filled: sa.Engine, kind: str) -> dict:
    """Go down to each schema, up, down and up again; report what was lost."""
    began = time.monotonic()
    seen: Counter[str] = Counter()
    with TemporaryDirectory() as named, board(kind, Path(named)) as environment:
        app = application(environment)
        with app.app_context():
            token = writing.set(True)
            try:
                growing.copy_all(filled, db.engine)
                fresh = sa.create_engine(databases.url(kind, _folder(named)))
                db.metadata.create_all(fresh)
                right = schema(fresh)
                fresh.dispose()
                released = _released()
                for revision in released:
                    seen.update(_there_and_back(revision, right))
            finally:
                writing.reset(token)
            db.session.remove()
            db.engine.dispose()
    wrong = {name: seen[name] for name in ("lost", "orphans", "diffs")}
    return guarantees.report(
        guarantee="D6",
        db=kind,
        size="soak",
        n=len(released),
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        tables=seen["tables"],
        rows=seen["rows"],
        **wrong,
    )


def _folder(named: str) -> Path:
    folder = Path(named) / "fresh"
    folder.mkdir()
    return folder


def _released() -> list[str]:
    """Return every schema but the newest, the newer ones first."""
    migrations = current_app.extensions["migrate"].migrate.get_config()
    script = ScriptDirectory.from_config(migrations)
    return [one.revision for one in script.walk_revisions()][1:]


def _there_and_back(revision: str, right: dict) -> Counter:
    """Go down to a schema; up, down and up again must change nothing there is."""
    downgrade(revision=revision)
    shape = columns()
    kept = {
        name: found - COMPUTED.get(name, set())
        for name, found in shape.items()
        if name != INDEX
    }
    before = rows(kept, kept)
    found = Counter(
        tables=len(before),
        rows=sum(len(those) for those in before.values()),
        orphans=len(broken_references()),
    )
    for _ in range(2):
        upgrade()
        found["lost"] += _different(before, rows(kept, kept))
        found["orphans"] += len(broken_references())
        made = schema(db.engine)
        found["diffs"] += sum(made.get(name) != right[name] for name in right)
        found["diffs"] += len(made.keys() ^ right.keys())
        downgrade(revision=revision)
        found["lost"] += _different(before, rows(kept, kept))
        found["diffs"] += columns() != shape
    upgrade()
    return found


def _different(before: dict, after: dict) -> int:
    """Return how many rows are not as they were."""
    gone = 0
    for name, those in before.items():
        left = Counter(those)
        left.subtract(after.get(name, []))
        changed = sum(abs(n) for n in left.values())
        if changed:
            print(f"{name}: {changed} rows differ", flush=True)
        gone += changed
    return gone
