"""The database of a proof as it was at a moment: what has changed, and the way back."""

import sqlite3
from contextlib import closing
from pathlib import Path


class Moment:
    """The database as it was at a moment: what has changed since, and the way back."""

    def __init__(self, file: Path):
        self.file = file
        self.kept = sqlite3.connect(":memory:")
        self.eye = sqlite3.connect(file)
        self.keep()

    def close(self):
        """Look at it no more: another test puts another file in its place."""
        self.eye.close()
        self.kept.close()

    def keep(self):
        """Remember the database as it is now."""
        self.eye.backup(self.kept)
        named = "SELECT name FROM sqlite_master WHERE type = 'table'"
        self.tables = [name for (name,) in self.kept.execute(named)]
        self.rows = {name: _rows(self.kept, name) for name in self.tables}
        self.version = self._version()

    def _version(self):
        return self.eye.execute("PRAGMA data_version").fetchone()[0]

    def changes(self) -> set[str]:
        """Return the tables that differ from those at that moment."""
        if self._version() == self.version:
            return set()
        return {one for one in self.tables if _rows(self.eye, one) != self.rows[one]}

    def back(self):
        """Make the database again what it was."""
        if self._version() == self.version:
            return
        with closing(sqlite3.connect(self.file)) as connection:
            self.kept.backup(connection)
        self.version = self._version()


def _rows(connection, table) -> list:
    return connection.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608 (names of the database's own)
