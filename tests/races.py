"""Let several people act at the very same moment, each in a thread of its own."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm.exc import StaleDataError

from tradeboard.core.db import db
from tradeboard.core.errors import Refusal
from tradeboard.core.transaction import transaction


def race(app, *acts):
    """Run each act in a transaction, all started at once; return how each ended.

    An act ends as "done", or by the name of its refusal; a lost version or a unique
    key counts as "Conflict", as it does on a page.
    """
    db.session.rollback()
    barrier = Barrier(len(acts), timeout=20)

    def run(act):
        with app.app_context():
            barrier.wait()
            try:
                with transaction():
                    act()
            except (StaleDataError, IntegrityError):
                return "Conflict"
            except Refusal as refusal:
                return type(refusal).__name__
            return "done"

    with ThreadPoolExecutor(len(acts)) as pool:
        outcomes = list(pool.map(run, acts))
    db.session.rollback()
    return outcomes
