"""A second PostgreSQL that follows the tests' own."""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy.engine import make_url

from tests import databases

PORT = 5433
PATIENCE = 20.0


def reason_against() -> str | None:
    """Say why there can be none here: a server that was named is not ours to copy."""
    if os.environ.get("TRADEBOARD_TEST_POSTGRES"):
        return "the server was named, so its data folder is not ours to copy"
    return None if sys.platform.startswith("linux") else "needs Linux"


@contextmanager
def following():
    """Copy the tests' server, and let the copy follow it; yields its Standby."""
    server = databases._wheel()
    where = psycopg.conninfo.conninfo_to_dict(server.get_uri())
    # The server's own user must reach it, so it stands beside the server's folder.
    parent = Path(tempfile.mkdtemp(prefix="tradeboard-standby-"))
    parent.chmod(0o755)
    if server.system_user:
        subprocess.run(["chown", server.system_user, parent], check=True)
    folder = parent / "data"
    copied = ["-D", str(folder), "-R", "-X", "stream", "-c", "fast", "-h"]
    _run(server, "pg_basebackup", *copied, where["host"], "-U", where["user"])
    follower = Standby(server, folder, where["host"], where["user"])
    follower.start()
    try:
        yield follower
    finally:
        follower.stop()
        subprocess.run(["rm", "-rf", str(parent)], check=True)


class Standby:
    """A server that follows, and may be held back."""

    def __init__(self, server, folder: Path, host: str, user: str):
        self.server, self.folder, self.host, self.user = server, folder, host, user

    def start(self) -> None:
        """Let it run."""
        options = f'-h "" -k {self.host} -p {PORT}'
        log = str(self.folder / "log")
        start = ["-D", str(self.folder), "-w", "-l", log, "-o", options, "start"]
        _run(self.server, "pg_ctl", *start)

    def stop(self) -> None:
        """Let it fall silent at once."""
        stop = ["-D", str(self.folder), "-m", "immediate", "stop"]
        _run(self.server, "pg_ctl", *stop)

    def url_of(self, database_url: str) -> str:
        """Return where the copy of a database is found."""
        name = make_url(database_url).database
        return f"postgresql://{self.user}@/{name}?host={self.host}&port={PORT}"

    def ask(self, question: str, *values):
        """Ask the copy itself, past the application."""
        where = {"host": self.host, "port": PORT, "user": self.user}
        with psycopg.connect(**where, dbname="postgres", autocommit=True) as connection:
            return connection.execute(question, values).fetchone()[0]

    def hold_back(self) -> None:
        """Let it receive what is written, and repeat nothing of it."""
        self.ask("SELECT pg_wal_replay_pause()::text")

    def go_on(self) -> None:
        """Let it repeat again."""
        self.ask("SELECT pg_wal_replay_resume()::text")

    def catch_up(self, database_url: str) -> None:
        """Wait until it repeated what is written so far."""
        with psycopg.connect(database_url, autocommit=True) as primary:
            row = primary.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
            done = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
            until = time.monotonic() + PATIENCE
            while not self.ask(done, *row):
                assert time.monotonic() < until, "the standby does not follow"
                # At the end of a page nothing comes before more is written.
                primary.execute("SELECT pg_logical_emit_message(false, '', '')")
                time.sleep(0.02)


def _run(server, program: str, *arguments: str) -> None:
    """Run one of the server's programs, as the user that it runs as."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = [str(server.bin_path / program), *arguments]
    subprocess.run(command, check=True, user=server.system_user, cwd="/", **quiet)
