"""A PostgreSQL of one test's own, which flushes what it commits and may be crashed."""

import contextlib
import subprocess
import tempfile
from pathlib import Path

import psycopg

from tests import databases

PATIENCE = 60
USER = "postgres"


class Server:
    """A server in a folder; it listens on a socket there and nowhere else."""

    def __init__(self, folder: Path, options: str = ""):
        self.folder, self.data = folder, folder / "data"
        self.options = f'-h "" -k {folder} {options}'
        self._wheel = databases._wheel()

    def _run(self, program: str, *arguments: str) -> None:
        """Run a program of the wheel, as the user that its servers run as."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        command = [str(self._wheel.bin_path / program), "-D", str(self.data)]
        subprocess.run(
            [*command, *arguments],
            check=True,
            user=self._wheel.system_user,
            cwd="/",
            timeout=PATIENCE,
            **quiet,
        )

    def make(self, *arguments: str) -> None:
        """Make an empty server and start it."""
        if self._wheel.system_user:
            subprocess.run(["chown", self._wheel.system_user, self.folder], check=True)
        self._run("initdb", "-A", "trust", "-U", USER, "-E", "UTF8", *arguments)
        self.start()

    def start(self) -> None:
        """Let it run."""
        log = str(self.folder / "log")
        self._run("pg_ctl", "-w", "-l", log, "-o", self.options, "start")

    def crash(self) -> None:
        """End it as a failing machine does: nothing is written any more."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self._run("pg_ctl", "-m", "immediate", "stop")

    def is_running(self) -> bool:
        """Tell whether it answers."""
        try:
            psycopg.connect(self.url(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def url(self, name: str = "postgres") -> str:
        """Return where one of its databases is found."""
        return f"postgresql://{USER}@/{name}?host={self.folder}&user={USER}"


@contextlib.contextmanager
def server(
    folder: Path | None = None, *, make: tuple[str, ...] = (), options: str = ""
):
    """Make a server, in its own folder or in the given one; crash it in the end."""
    with contextlib.ExitStack() as stack:
        if folder is None:
            named = tempfile.TemporaryDirectory(prefix="tradeboard-pg-")
            folder = Path(stack.enter_context(named))
        folder.chmod(0o755)
        made = Server(folder, options)
        try:
            made.make(*make)
            yield made
        finally:
            made.crash()
