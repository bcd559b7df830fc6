"""D4 on a bad wire: connections to PostgreSQL are reset and cut while many write.

What was acknowledged is kept, nothing is written twice, and nobody waits for ever: who
writes on is served again as soon as the wire is.
"""

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tests import databases, sizes
from tests.factories import make_account
from tests.soaks import guarantees
from tests.soaks.boards import application, board
from tests.tools import faultproxy
from tradeboard.core import clock, once
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction

KIND, WRITERS = "postgresql", 6
BREATH, WAY_BACK = 0.05, 30.0
FAULTS = (faultproxy.reset, faultproxy.half_close, faultproxy.delay(0.2))


@dataclass
class Book:
    """What the writers were told, and how often they were told nothing."""

    acked: list[str] = field(default_factory=list)
    failed: int = 0
    ending: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)


def main(*, quick: bool, minutes: float) -> int:
    """Let the wire fail so often; return how many violations there were."""
    return run(quick=quick)["violations"]


def run(*, quick: bool) -> dict:
    """Write through a wire that fails, and look what is there afterwards."""
    began, seed = time.monotonic(), guarantees.seed()
    number, dice = sizes.size("D4", quick=quick), random.Random(seed)
    book, slow = Book(), 0
    with TemporaryDirectory() as named:
        folder = Path(named)
        straight = databases.url(KIND, folder)
        there, listen, bent = faultproxy.before_postgresql(straight, folder)
        with (
            board(KIND, folder, straight) as environment,
            faultproxy.proxying(there, listen) as wire,
        ):
            app = application(environment | {"TRADEBOARD_DATABASE_URL": bent})
            with app.app_context():
                owner = make_account("writer").id
                db.session.remove()
            threads = [
                threading.Thread(target=_write, args=(app, owner, book), daemon=True)
                for _ in range(WRITERS)
            ]
            for thread in threads:
                thread.start()
            for _ in range(number):
                time.sleep(dice.uniform(0, 4 * BREATH))
                wire.fault = dice.choice(FAULTS)
                time.sleep(dice.uniform(0, 4 * BREATH))
                wire.fault = faultproxy.passes
                slow += not _is_served_again(book)
            book.ending.set()
            for thread in threads:
                thread.join(WAY_BACK)
            stuck = sum(thread.is_alive() for thread in threads)
            with app.app_context():
                found = Counter(
                    db.session.scalars(sa.select(once.Submission.submit_id))
                )
                db.session.remove()
                db.engine.dispose()
    wrong = {
        "lost": sum(found[name] == 0 for name in book.acked),
        "doubles": sum(times - 1 for times in found.values()),
        "stuck": stuck,
        "not_recovered": slow,
    }
    return guarantees.report(
        guarantee="D4 wire",
        db=KIND,
        size=sizes.name(quick=quick),
        n=number,
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        acked=len(book.acked),
        failed=book.failed,
        **wrong,
    )


def _write(app, owner: int, book: Book) -> None:
    """Write one thing after the other; what failed is tried again under its name."""
    number = 0
    me = threading.get_ident()
    while not book.ending.is_set():
        number += 1
        name = f"{me}-{number}"
        while not book.ending.is_set():
            if _is_written(app, owner, name):
                with book.lock:
                    book.acked.append(name)
                break
            with book.lock:
                book.failed += 1
            time.sleep(BREATH)


def _is_written(app, owner: int, name: str) -> bool:
    with app.app_context():
        try:
            with transaction():
                if once.find_target(owner, name) is None:
                    once.remember(owner, name, "/", now=clock.now())
            return True
        except (DBAPIError, PoolTimeout):
            return False
        finally:
            db.session.remove()


def _is_served_again(book: Book) -> bool:
    """Tell whether somebody is told of a new thing before long."""
    before, until = len(book.acked), time.monotonic() + WAY_BACK
    while time.monotonic() < until:
        if len(book.acked) > before:
            return True
        time.sleep(BREATH / 5)
    return False
