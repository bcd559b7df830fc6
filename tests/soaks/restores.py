"""D5: backups restore: made while many write, restored elsewhere, and used there."""

import os
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import databases, sizes
from tests.keeping import under_load
from tests.soaks import guarantees
from tests.soaks.boards import application, board
from tradeboard.core.db import db


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    until = time.monotonic() + 60 * minutes
    return sum(
        run(kind, quick=quick, until=until)["violations"] for kind in databases.KINDS
    )


def run(kind: str, *, quick: bool, until: float = float("inf")) -> dict:
    """Back a new board up and restore it, so often; at least once."""
    began, rounds = time.monotonic(), 0
    seen: Counter[str] = Counter()
    with programs():
        while rounds < sizes.size("D5", quick=quick):
            rounds += 1
            wrong, facts = _once(kind)
            seen.update(facts, violations=len(wrong))
            for text in wrong:
                print(f"{kind}: {text}", flush=True)
            if time.monotonic() > until:
                break
    return guarantees.report(
        guarantee="D5",
        db=kind,
        size=sizes.name(quick=quick),
        n=rounds,
        violations=seen["violations"],
        secs=round(time.monotonic() - began, 1),
        seed=None,
        restored=seen["restored"],
        bytes=seen["bytes"],
        photos=seen["photos"],
    )


def _once(kind: str) -> tuple[list[str], dict[str, int]]:
    with TemporaryDirectory() as named, board(kind, Path(named)) as environment:
        app = application(environment)
        # As the tests have it: the places as places.
        app.config["UPLOADS"] = Path(named) / "uploads"
        app.config["BACKUPS"] = Path(named) / "backups"
        with app.app_context():
            found = under_load.try_once(app, Path(named))
            db.session.remove()
            db.engine.dispose()
    return found


@contextmanager
def programs():
    """Let the programs of the wheel's PostgreSQL be found."""
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{under_load.PROGRAMS}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before
