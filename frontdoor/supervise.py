"""Keep child processes running, and end them together."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import BinaryIO

from frontdoor.ground import ROOT, Trouble, say

QUICK = 10.0  # A child that lived shorter than this many seconds died quickly.
TRIES = 5
LONGEST_PAUSE = 30.0
GRACE = 10.0
TICK = 0.2


class Child:
    """A process that is started again when it dies, each time a little later."""

    def __init__(self, name: str, command: list[str], log: BinaryIO):
        self.name, self.command, self.log = name, command, log
        self.process: subprocess.Popen[bytes] | None = None
        self.quick_deaths = 0
        self.started = self.start_at = 0.0

    def start(self, environment: dict[str, str]) -> None:
        """Start it in a group of its own, so that Ctrl-C reaches the parent alone."""
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )

    def look_after(self, environment: dict[str, str]) -> None:
        """Start it if it is not running and its pause is over."""
        if self.process is None:
            if time.monotonic() >= self.start_at:
                self.start(environment)
            return
        code = self.process.poll()
        if code is not None:
            self._mourn(code)

    def _mourn(self, code: int) -> None:
        now = time.monotonic()
        self.process = None
        is_quick = now - self.started < QUICK
        self.quick_deaths = self.quick_deaths + 1 if is_quick else 0
        if self.quick_deaths >= TRIES:
            raise Trouble(
                f"The {self.name} ended {TRIES} times right after its start, last with "
                f"code {code}; its words are in instance/demo.log."
            )
        pause = min(2.0 ** (self.quick_deaths - 2), LONGEST_PAUSE)
        self.start_at = now + pause
        say(
            f"The {self.name} ended with code {code}; starting it again in {pause:g} s."
        )


def keep_running(
    children: list[Child], environment: dict[str, str], watch: Callable[[], None]
) -> None:
    """Look after the children until a signal comes; then end them all."""
    signals: list[int] = []
    for number in _endings():
        signal.signal(number, lambda got, _frame: signals.append(got))
    try:
        while not signals:
            for child in children:
                child.look_after(environment)
            watch()
            time.sleep(TICK)
    finally:
        _end(children, signals)


def _endings() -> list[int]:
    """Name the signals that end us; one that nohup switched off stays off."""
    endings = [signal.SIGINT, signal.SIGTERM]
    hangup = getattr(signal, "SIGHUP", None)
    if hangup and signal.getsignal(hangup) != signal.SIG_IGN:
        endings.append(hangup)
    return endings


def _end(children: list[Child], signals: list[int]) -> None:
    """Ask each to end, wait, and kill what is left; a second Ctrl-C waits no longer."""
    running = [child.process for child in children if child.process]
    for process in running:
        process.terminate()
    first, until = len(signals), time.monotonic() + GRACE
    while any(process.poll() is None for process in running):
        if time.monotonic() > until or len(signals) > first:
            break
        time.sleep(TICK / 4)
    for process in running:
        _kill_group(process)
        process.wait()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the child and whatever it started itself."""
    try:
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _die_with_parent() -> None:
    """Let Linux end the child even when the parent is killed outright."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
