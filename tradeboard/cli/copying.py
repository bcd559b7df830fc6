"""Move a board from one kind of database to the other."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
from alembic.script import ScriptDirectory
from flask import current_app
from sqlalchemy import Connection, Engine, create_engine, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from tradeboard.audit import queries as audit
from tradeboard.cli.speaking import as_json, in_app, say
from tradeboard.core import copying, instance_lock
from tradeboard.core.db import db
from tradeboard.core.engines import engine_options


@click.command("copy-database")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@as_json
@in_app
def copy_database(source, target, as_json):
    """Copy a whole board to another, empty database; both are URLs.

    The board is stopped meanwhile. Unless every row and the audit log is there
    afterwards as it was here, nothing is left in the target.
    """
    if source == target:
        raise click.UsageError("FROM and TO are the same.")
    try:
        with ExitStack() as held:
            here, there = (held.enter_context(_engine(url)) for url in (source, target))
            locks = {lock for engine in (here, there) if (lock := _lock_of(engine))}
            for lock in locks:
                held.enter_context(instance_lock.alone_with(lock))
            counted, rows = _copy(here, there)
    except (copying.Refused, instance_lock.InUse) as refused:
        raise click.ClickException(f"{refused} Nothing was copied.") from refused
    result = {"tables": counted, "rows": sum(counted.values()), "audit_rows": rows}
    words = f"{result['rows']} rows in {len(counted)} tables, {rows} of the audit log."
    say(result, words, as_json)


def _copy(here: Engine, there: Engine) -> tuple[dict[str, int], int]:
    with copying.both(here, there) as (source, target):
        counted = copying.copy(source, target, db.metadata, _revision())
        with _session_on(target):
            verified = audit.verify()
        if verified.broken is not None:
            seq, wrong = verified.broken.seq, verified.broken.wrong
            raise copying.Refused(f"Row {seq} of the audit log is {wrong}.")
    return counted, verified.rows


def _revision() -> str:
    folder = current_app.extensions["migrate"].directory
    revision = ScriptDirectory(folder).get_current_head()
    if revision is None:
        raise copying.Refused("This release has no migrations.")
    return revision


@contextmanager
def _session_on(connection: Connection) -> Iterator[None]:
    """Let queries read what is not committed yet."""
    db.session.remove()
    plain = Session(connection)
    db.session.registry.set(plain)  # type: ignore[arg-type]  # one that is not routed
    try:
        yield
    finally:
        db.session.registry().expunge_all()
        db.session.registry.clear()


@contextmanager
def _engine(given: str) -> Iterator[Engine]:
    try:
        url = make_url(given.replace("postgres://", "postgresql://", 1))
    except ArgumentError:
        raise copying.Refused("FROM and TO are URLs, such as sqlite:////….") from None
    kind = url.get_backend_name()
    if kind not in {"sqlite", "postgresql"}:
        raise copying.Refused(f"{kind} is no database for a board.")
    if kind == "sqlite" and not Path(url.database or "").is_file():
        raise copying.Refused(f"There is no file {url.database}.")
    engine = create_engine(url, **engine_options(kind))
    try:
        yield engine
    finally:
        engine.dispose()


def _lock_of(engine: Engine) -> Path | None:
    """Return the lock that all hold who serve from a file."""
    if engine.dialect.name != "sqlite":
        return None
    return Path(engine.url.database or "").with_name(instance_lock.NAME)
