"""The proofs of security, S1 to S18: each on an empty board, a line each."""

import traceback
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conftest import Client
from tests.soaks import (
    doors,
    forging,
    harvest,
    logins,
    markup,
    names,
    planted,
    redirects,
    rights,
    uploads,
)
from tests.soaks.boards import application, board
from tradeboard.core.db import db

# Which functions prove what; each takes an application and an empty database.
PROOFS: tuple[Callable, ...] = (
    logins.s1,
    logins.s2,
    logins.s3,
    doors.run,
    planted.s6,
    markup.s7,
    uploads.s8,
    redirects.s9,
    forging.s10,
    logins.s11,
    logins.s12,
    names.s13,
    forging.s14,
    harvest.run,
    rights.s16,
    rights.s17,
    rights.s18,
)


def main(*, quick: bool, minutes: float) -> int:
    """Prove all of them once; return how many violations there were."""
    return sum(prove(proof, quick=quick) for proof in PROOFS)


def prove(proof: Callable, *, quick: bool) -> int:
    """Run one proof on an empty board of its own; return the violations."""
    with TemporaryDirectory() as name, board("sqlite", Path(name)) as environment:
        app = application(environment)
        app.test_client_class = Client
        with app.app_context():
            found = _told(proof, app, quick)
            db.session.remove()
            db.engine.dispose()
    return found


def _told(proof: Callable, app, quick: bool) -> int:
    """Run it; one that breaks off has proved nothing, and the others go on."""
    try:
        return violations_of(proof(app, quick=quick))
    except Exception:
        print(f"{proof.__module__}.{proof.__name__} broke off:", flush=True)
        traceback.print_exc()
        return 1


def violations_of(told: int | dict | list[dict]) -> int:
    """Return how many there are in what a proof gives back: a number, a line, lines."""
    if isinstance(told, int):
        return told
    lines = told if isinstance(told, list) else [told]
    return sum(line["violations"] for line in lines)
