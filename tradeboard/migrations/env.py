"""How migrations run: all or nothing, and no row is lost on the way."""

from threading import Event

from alembic import context
from flask import current_app
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from tradeboard.core.db import writing
from tradeboard.core.engines import LIMITS

metadata = current_app.extensions["migrate"].db.metadata
arguments = current_app.extensions["migrate"].configure_args
MAY_SHRINK = "may_shrink"
TRIES = 20
PAUSE_S = 1.0
LOCK_NOT_AVAILABLE = "55P03"


def counts(connection):
    """Return how many rows each table has."""
    names = connection.dialect.get_table_names(connection)
    quote = connection.dialect.identifier_preparer.quote
    return {
        name: connection.scalar(text(f"SELECT count(*) FROM {quote(name)}"))  # noqa: S608
        for name in names
        if name != "alembic_version"
    }


def refuse_losses(before, after, allowed):
    """Stop, and so roll back, when a table got smaller that was not meant to."""
    lost = {
        name: (count, after[name])
        for name, count in before.items()
        if name in after and after[name] < count and name not in allowed
    }
    if lost:
        raise RuntimeError(f"rows would be lost: {lost}")


def wait_for_others(connection):
    """Let one node migrate, and the next find nothing to do.

    The tables themselves are waited for only briefly: behind a migration that waits
    for a long transaction, every reader would wait, too.
    """
    connection.execute(text("SET LOCAL statement_timeout = 0"))
    connection.execute(text("SET LOCAL lock_timeout = 0"))
    connection.execute(text("SELECT pg_advisory_xact_lock(782164)"))
    limit = {"limit": LIMITS["lock_timeout"]}
    connection.execute(text("SELECT set_config('lock_timeout', :limit, true)"), limit)


def migrate(connection):
    """Run what is due in one transaction."""
    sqlite = connection.dialect.name == "sqlite"
    context.configure(
        connection=connection,
        target_metadata=metadata,
        transaction_per_migration=False,
        **arguments,
    )
    if not sqlite:
        wait_for_others(connection)
    before = counts(connection)
    context.run_migrations()
    if sqlite:
        broken = connection.execute(text("PRAGMA foreign_key_check")).all()
        if broken:
            raise RuntimeError(f"foreign keys broken: {broken[:5]}")
    script = context.script
    allowed = {
        name
        for revision in script.walk_revisions()
        for name in getattr(revision.module, MAY_SHRINK, ())
    }
    refuse_losses(before, counts(connection), allowed)


def run():
    """Try until no long transaction is in the way, or give up after a minute."""
    for attempt in range(1, TRIES + 1):
        try:
            once()
            return
        except OperationalError as error:
            busy = getattr(error.orig, "sqlstate", "") == LOCK_NOT_AVAILABLE
            if not busy or attempt == TRIES:
                raise
            Event().wait(PAUSE_S)


def once():
    """Open one writing transaction; SQLite's foreign keys are off around it.

    With them on, rebuilding a parent table would delete its children.
    """
    engine = current_app.extensions["migrate"].db.engine
    token = writing.set(True)
    try:
        with engine.connect() as connection:
            sqlite = connection.dialect.name == "sqlite"
            raw = connection.connection.dbapi_connection
            if sqlite:
                raw.execute("PRAGMA foreign_keys = OFF")
            try:
                with connection.begin():
                    migrate(connection)
            finally:
                if sqlite:
                    raw.execute("PRAGMA foreign_keys = ON")
    finally:
        writing.reset(token)


run()
