"""Serve the board and the limit beside it, each by gunicorn with two workers."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.databases import ROOT, folder
from bench.load import get, run

WORKERS = 2
PATIENCE_S = 60.0
# What is imported stays compiled, as it is where the board is installed.
INSTALLED = {"PYTHONDONTWRITEBYTECODE": ""}


class NotServed(RuntimeError):
    """A server did not come up; the text is what it said last."""


class Server:
    """One gunicorn: where it listens, how long it took to answer, and its workers."""

    def __init__(self, module: str, environment: Mapping[str, str], workers: int):
        self.port = _free_port()
        self.workers = workers
        self.log = folder() / f"{module}.log"
        command = [
            *(sys.executable, "-m", "gunicorn", "--no-control-socket"),
            *("--workers", str(workers), "--worker-class", "sync"),
            *("--bind", f"127.0.0.1:{self.port}", "--log-level", "error"),
            *("--timeout", "120", f"{module}:app"),
        ]
        self.began = time.perf_counter()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, **environment, **INSTALLED},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.started_s = 0.0

    def wait_for(self, path: str) -> None:
        """Wait until a page is answered."""
        while time.perf_counter() - self.began < PATIENCE_S:
            if self.process.poll() is not None:
                break
            try:
                if run(self.port, iter([get(path)]), connections=1).accepted:
                    self.started_s = time.perf_counter() - self.began
                    return
            except OSError:
                time.sleep(0.005)
        raise NotServed(self.log.read_text(errors="replace")[-2000:])

    def memory_mb(self) -> float:
        """Return the resident memory of the largest worker."""
        return max(map(resident_mb, self._workers()), default=0.0)

    def processor_s(self) -> float:
        """Return how long its workers have been at work, whoever else was."""
        return sum(map(processor_s, self._workers()))

    def _workers(self) -> list[str]:
        pid = self.process.pid
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()

    def stop(self) -> None:
        """End it, and wait until it has gone."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def resident_mb(pid: str) -> float:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return (
        sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
    )


def processor_s(pid: str) -> float:
    """Return the processor time of a process, its own and the system's for it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(module: str, environment: Mapping[str, str], path: str, workers=WORKERS):
    """Serve for the length of the block."""
    server = Server(module, environment, workers)
    try:
        server.wait_for(path)
        yield server
    finally:
        server.stop()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
