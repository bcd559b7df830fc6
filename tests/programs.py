"""Programs of the system that some tests run: found, started on loopback, and ended."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager

import pytest

PATIENCE_S = 20


def find(name: str) -> str:
    """Return where a program lies; without it a test is left out, or fails under CI."""
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if path is None:
        reason = f"{name} is not installed: what runs it is left out"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


def free_port() -> int:
    """Return a port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int, process: subprocess.Popen) -> None:
    """Wait until it listens; fail with its exit code when it ends before."""
    for _ in range(PATIENCE_S * 50):
        if process.poll() is not None:
            raise RuntimeError(f"{process.args} ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"{process.args} does not listen on {port}")


@contextmanager
def running(arguments, port: int, log, **options):
    """Run a program until the block ends; `log` is the file that it writes to."""
    with open(log, "ab") as out:
        process = subprocess.Popen(arguments, stdout=out, stderr=out, **options)
    try:
        wait_for(port, process)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Redis:
    """A Redis of our own that can be stopped, frozen and started again."""

    def __init__(self, folder):
        self.program = find("redis-server")
        self.folder = folder
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process = None

    def start(self) -> None:
        """Start it empty."""
        options = "--bind 127.0.0.1 --save '' --appendonly no --daemonize no"
        arguments = options.replace("''", "").split(" ")
        with open(self.folder / "redis.log", "ab") as out:
            self.process = subprocess.Popen(
                [self.program, "--port", str(self.port), *arguments],
                cwd=self.folder,
                stdout=out,
                stderr=out,
            )
        wait_for(self.port, self.process)

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
