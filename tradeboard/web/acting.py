"""How a page lets something happen: once, in one transaction, then a redirect."""

import logging
import random
import threading
from collections.abc import Callable
from typing import TypeVar

from flask import redirect
from flask_login import current_user
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.orm.exc import StaleDataError

from tradeboard.core import clock, once, trips
from tradeboard.core.db import db
from tradeboard.core.errors import Refusal
from tradeboard.core.transaction import transaction

log = logging.getLogger(__name__)

TRIES = 3
PASSING = {b"40001", b"40P01"} | trips.OUTDATED
Found = TypeVar("Found")


def act(
    submit_id: str | None,
    verb: Callable[[], str],
    *,
    by_id: int | None = None,
    leads_to: str | None = None,
):
    """Run `verb` in a transaction and redirect to the address that it returns.

    A form with the same `submit_id` has its effect once: pressed again, it leads to
    the page of the first time. Lost locks are tried again before anybody sees them.
    `by_id` is whose form it is where nobody needs to be signed in; `leads_to` is the
    address, where it is known before, which spares a question.
    """
    by_id = current_user.id if by_id is None else by_id
    for attempt in range(1, TRIES + 1):
        try:
            return redirect(_once(submit_id, verb, by_id, leads_to), 303)
        except once.HadEffect as before:
            return redirect(before.target, 303)
        except (IntegrityError, StaleDataError, Refusal) as lost:
            # Perhaps the same form, sent at the same moment, was faster.
            target = once.find_target(by_id, submit_id)
            if target is not None:
                return redirect(target, 303)
            if attempt == TRIES or not _drew_the_same(lost):
                raise
            log.info("attempt %s: somebody drew the same number", attempt)
        except DBAPIError as error:
            if attempt == TRIES or not _is_passing(error):
                raise
            log.info("attempt %s: %s", attempt, type(error.orig).__name__)
            threading.Event().wait(random.uniform(0.02, 0.1) * attempt)
    raise AssertionError("unreachable")


def _once(submit_id, verb, by_id, leads_to):
    now = clock.now()
    with transaction():
        if leads_to is not None:
            if once.claim(by_id, submit_id, leads_to, now=now):
                return verb()
            return once.find_target(by_id, submit_id) or leads_to
        once.require_new(by_id, submit_id)
        target = verb()
        once.remember(by_id, submit_id, target, now=clock.now())
    return target


class _Undone(Exception):
    """Ends a rehearsal: nothing of it stays."""


def rehearse(verb: Callable[[], object], read: Callable[[], Found]) -> Found:
    """Let something happen only to read what it would leave behind, then undo it.

    It refuses what it would refuse.
    """
    found: list[Found] = []
    try:
        with transaction():
            verb()
            db.session.flush()
            found.append(read())
            raise _Undone
    except _Undone:
        return found[0]


def _drew_the_same(lost: Exception) -> bool:
    """Tell whether somebody else just took the number that this row was to have.

    Entries draw theirs, so that nobody can foresee it; a second lot is another one.
    """
    told = getattr(getattr(lost, "orig", None), "diag", None)
    return (getattr(told, "constraint_name", None) or "").startswith("pk_")


def _is_passing(error: DBAPIError) -> bool:
    """Tell whether the whole unit may be tried again.

    A deadlock, a lost lock, or a statement whose plan is of before a migration.
    """
    state = getattr(error.orig, "sqlstate", None) or ""
    return state.encode() in PASSING or "database is locked" in str(error.orig)
