"""Let pages that only show something read from a replica, each named in a table."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import wraps

from flask import Flask, current_app, request, session
from flask_login import current_user
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tradeboard.core import clock, replica
from tradeboard.core.db import db, from_replica
from tradeboard.web import access

WATCH = "tradeboard-replica"
WROTE = "wrote"
# Whoever wrote reads what was written; with the most that two hosts' clocks may differ.
OWN_WRITES = timedelta(seconds=10 + 2)


def init_app(app: Flask, pages: Mapping[str, timedelta]) -> None:
    """Share out the pages, by how old at most their answers may be.

    Without a replica nothing changes; what is not named reads from the primary.
    """
    app.after_request(remember_write)
    if not app.config["DATABASE_REPLICA_URL"]:
        return
    with app.app_context():
        app.extensions[WATCH] = replica.watch_of_app()
    for endpoint, within in pages.items():
        app.view_functions[endpoint] = shared(app.view_functions[endpoint], within)


def shared(view, within: timedelta):
    """Answer from the replica if it may, and anew from the primary if it fails."""

    @wraps(view)
    def read(**named):
        watch = current_app.extensions[WATCH]
        if _needs_primary() or not watch.may_answer(within):
            return view(**named)
        token = from_replica.set(True)
        try:
            return view(**named)
        except (DBAPIError, PoolTimeout):
            watch.failed()
        finally:
            from_replica.reset(token)
        db.session.rollback()
        return view(**named)

    return read


def _needs_primary() -> bool:
    """Tell whether this reader just wrote, or decides by what is read."""
    if request.method not in access.SAFE_METHODS:
        return True
    if access.is_for_programs():
        return False
    if just_wrote():
        return True
    return access.SESSION_KEY in session and bool(getattr(current_user, "is_staff", 0))


def just_wrote() -> bool:
    """Tell whether this browser changed something a moment ago, and must see it."""
    wrote = session.get(WROTE)
    if not wrote:
        return False
    return abs(clock.now() - datetime.fromisoformat(wrote)) < OWN_WRITES


def remember_write(response):
    """Note in the browser's session that it wrote; who has none gets none for it."""
    if request.method in access.SAFE_METHODS or access.is_for_programs():
        return response
    if session:
        session[WROTE] = clock.now().isoformat(timespec="seconds")
    return response
