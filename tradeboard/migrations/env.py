"""How migrations run: all or nothing, and no row is lost on the way."""

from threading import Event

from alembic import context
from flask import current_app
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from tradeboard.core.db import writing

metadata = current_app.extensions["migrate"].db.metadata
arguments = current_app.extensions["migrate"].configure_args
MAY_SHRINK = "may_shrink"
ALTERS = "alters"
TRIES = 60
PAUSE_S = 1.0
# Half of what PostgreSQL waits before it ends one of those who wait for each other:
# a migration gives way before a page would have to.
GIVES_WAY_MS = "500"
IN_THE_WAY = {"55P03", "57014", "40P01"}  # No lock, no time, a deadlock.


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
    limit(connection, "statement_timeout", "0")
    limit(connection, "lock_timeout", "0")
    connection.execute(text("SELECT pg_advisory_xact_lock(782164)"))
    limit(connection, "lock_timeout", GIVES_WAY_MS)


def limit(connection, name, value):
    """Set a time-out until the transaction ends."""
    given = {"name": name, "value": value}
    connection.execute(text("SELECT set_config(:name, :value, true)"), given)


def take_what_is_altered(connection, there):
    """Take every table that is altered at the start, all of them or none.

    Taken one by one while the migration runs, somebody would have the next and wait
    for the one before. Each migration names its own in `alters`.
    """
    now = context.get_context().get_current_revision()
    due = context.script.iterate_revisions("heads", now or "base")
    named = {name for one in due for name in getattr(one.module, ALTERS, ())}
    if taken := sorted(named & set(there)):
        quote = connection.dialect.identifier_preparer.quote
        limit(connection, "statement_timeout", GIVES_WAY_MS)
        tables = ", ".join(quote(name) for name in taken)
        connection.execute(text(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE"))
        limit(connection, "statement_timeout", "0")


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
    if not sqlite:
        take_what_is_altered(connection, before)
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
    """Try until nobody is in the way, or give up after a minute and a half."""
    for attempt in range(1, TRIES + 1):
        try:
            once()
            return
        except OperationalError as error:
            busy = getattr(error.orig, "sqlstate", "") in IN_THE_WAY
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
