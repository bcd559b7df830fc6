"""Take a dump of a PostgreSQL database at one moment, and restore one."""

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import URL, Engine, make_url, text

from tradeboard.keeping import programs, reading
from tradeboard.keeping.manifest import Facts, Unusable
from tradeboard.keeping.pictures import Picture, named

FILE = "database.dump"
MAINTENANCE = "postgres"
LONGEST_NAME = 63

# What the programs read of the environment, where no other process sees a password.
VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "connect_timeout": "PGCONNECT_TIMEOUT",
}
PATIENT = (
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL idle_in_transaction_session_timeout = 0",
)


class Taken(RuntimeError):
    """The database to restore into is not empty, or somebody uses it."""


def take(engine: Engine, folder: Path) -> tuple[str, Facts, set[Picture]]:
    """Dump the database, and read what is to be known of it at the same moment."""
    target = folder / FILE
    patient = engine.execution_options(isolation_level="REPEATABLE READ")
    with patient.connect() as connection, connection.begin():
        for setting in PATIENT:
            connection.execute(text(setting))
        snapshot = connection.scalar(text("SELECT pg_export_snapshot()"))
        facts, pictures = reading.facts(connection), named(connection)
        version = _major(connection.connection.dbapi_connection)
        dump = programs.find_postgres("pg_dump", version)
        programs.run(
            [
                dump,
                "--format=custom",
                "--no-password",
                "--lock-wait-timeout=60000",
                f"--snapshot={snapshot}",
                f"--file={target}",
            ],
            environment(engine.url),
        )
    target.chmod(0o600)
    check(target, facts, version)
    return FILE, facts, pictures


def check(dump: Path, facts: Facts, version: int) -> None:
    """Raise Unusable unless a dump lists the rows of every table."""
    program = programs.find_postgres("pg_restore", version)
    said = programs.run([program, "--list", str(dump)]).decode(errors="replace")
    listed = {
        line.split(" TABLE DATA ")[1].split()[1]
        for line in said.splitlines()
        if " TABLE DATA " in line
    }
    if lost := facts.counts.keys() - listed:
        raise Unusable(f"The dump lacks the rows of {', '.join(sorted(lost))}.")


def restore(dump: Path, url: str, *, replace: bool, now: datetime) -> str | None:
    """Restore a dump into an empty database, or put a new one in another's place.

    The other one keeps a name with the time, which is returned.
    """
    target = make_url(url)
    if not replace:
        _require_empty(target)
        _fill(dump, target)
        return None
    stamp = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    new, before = (name_for(target, f"{w}_{stamp}") for w in ("restoring", "before"))
    create(target, new)
    try:
        _fill(dump, target.set(database=new))
        _swap(target, new, before)
    except BaseException:
        drop(target, new)
        raise
    return before


def name_for(url: URL, ending: str) -> str:
    """Return a name for a database beside one, short enough for the server."""
    ending = f"_{ending}".lower()
    return (url.database or "")[: LONGEST_NAME - len(ending)] + ending


def create(url: URL, name: str) -> None:
    """Make an empty database beside one, of the same owner and language."""
    with _beside(url) as connection:
        found = connection.execute(
            "SELECT pg_get_userbyid(datdba), pg_encoding_to_char(encoding), "
            "datcollate, datctype FROM pg_database WHERE datname = %s",
            [url.database],
        ).fetchone()
        made = sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(
            sql.Identifier(name)
        )
        if found is not None:
            owner, encoding, collate, ctype = found
            made += sql.SQL(" OWNER {} ENCODING {} LC_COLLATE {} LC_CTYPE {}").format(
                sql.Identifier(owner), *map(sql.Literal, (encoding, collate, ctype))
            )
        connection.execute(made)


def drop(url: URL, name: str) -> None:
    """Drop a database beside one, if it is there."""
    with _beside(url) as connection:
        named = sql.Identifier(name)
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(named))


def may_create(url: URL) -> bool:
    """Tell whether the role may make a database to try a backup in."""
    with psycopg.connect(**_parameters(url)) as connection:
        found = connection.execute(
            "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
    return bool(found and found[0])


def environment(url: URL) -> dict[str, str]:
    """Return what the programs of PostgreSQL need to find a database."""
    parts = _parameters(url)
    return {VARIABLES[n]: str(v) for n, v in parts.items() if n in VARIABLES}


def _fill(dump: Path, url: URL) -> None:
    with psycopg.connect(**_parameters(url)) as connection:
        version = _major(connection)
    programs.run(
        [
            programs.find_postgres("pg_restore", version),
            "--no-owner",
            "--no-password",
            "--exit-on-error",
            "--single-transaction",
            f"--dbname={url.database}",
            str(dump),
        ],
        environment(url),
    )


def _require_empty(url: URL) -> None:
    with psycopg.connect(**_parameters(url)) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace "
            "WHERE n.nspname = current_schema() AND relkind IN ('r', 'p')"
        ).fetchone()
    if found and found[0]:
        raise Taken(
            f"The database {url.database} has {found[0]} tables. Name an empty one "
            "with --to, or say --replace: it then keeps a name with the time."
        )


def _swap(url: URL, new: str, before: str) -> None:
    """Exchange the names in one transaction; nobody may be connected."""
    with _beside(url) as connection, connection.transaction():
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = %s AND pid <> pg_backend_pid()",
            [url.database],
        ).fetchone()
        if found and found[0]:
            raise Taken(
                f"{found[0]} connections use the database {url.database}: stop the web "
                "workers and schedulers of every machine first."
            )
        rename = sql.SQL("ALTER DATABASE {} RENAME TO {}")
        pairs = ((url.database or "", before), (new, url.database or ""))
        for old, other in pairs:
            names = sql.Identifier(old), sql.Identifier(other)
            connection.execute(rename.format(*names))


@contextlib.contextmanager
def _beside(url: URL) -> Iterator[psycopg.Connection]:
    """Connect to the same server, but to none of the board's databases."""
    parameters = _parameters(url.set(database=MAINTENANCE))
    with psycopg.connect(**parameters, autocommit=True) as connection:
        yield connection


def _parameters(url: URL) -> dict[str, Any]:
    parts: dict[str, Any] = {
        "host": url.host,
        "port": url.port,
        "user": url.username,
        "password": url.password,
        "dbname": url.database,
        **url.query,
    }
    return {name: value for name, value in parts.items() if value is not None}


def _major(connection: Any) -> int:
    return connection.info.server_version // 10000
