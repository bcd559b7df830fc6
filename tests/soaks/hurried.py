"""The real scheduler with a short tick; its faults and its clock lie in files.

All that it waits for is shortened in the same measure; no rule of the product is.
"""

import os
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from unittest.mock import patch

import time_machine
from flask import Flask

from tradeboard.scheduler import clockwatch, process
from tradeboard.scheduler.timetable import JOBS, Job

TICK = 0.5
MINUTE = 60.0
SHARE = TICK / MINUTE
JOB = "sweep-overdue"
RAISE, LEAVE = "raise", "leave"


@dataclass(frozen=True)
class Folder:
    """What a scheduler and its test tell each other, one file each."""

    path: Path

    def say(self, fault: str) -> None:
        """Let the sweep fail in a way from now on; "" heals it."""
        self._write("fault", fault)

    def fault(self) -> str:
        """Return how the sweep is to fail."""
        return self._read("fault")

    def set_clock(self, shift: timedelta) -> None:
        """Let the clock be so far off, once the scheduler gets its signal."""
        self._write("shift", str(int(shift.total_seconds())))

    def shift(self) -> timedelta:
        """Return how far off the clock is."""
        return timedelta(seconds=int(self._read("shift") or 0))

    def note_run(self, now: datetime) -> None:
        """Keep who took a turn, and of when; a short line is written whole."""
        with (self.path / "runs").open("a") as file:
            file.write(f"{now.timestamp():.6f} {os.getpid()}\n")

    def runs(self) -> list[tuple[float, int]]:
        """Return each turn in the order of time, and the process that took it."""
        lines = self._read("runs").splitlines()
        both = (line.split() for line in lines)
        return sorted((float(at), int(pid)) for at, pid in both)

    def _write(self, name: str, text: str) -> None:
        made = self.path / f"{name}.new"
        made.write_text(text)
        made.replace(self.path / name)

    def _read(self, name: str) -> str:
        file = self.path / name
        return file.read_text() if file.exists() else ""


def run(app: Flask, folder: Folder, *, patient: bool = False) -> None:
    """Run the scheduler until a signal ends it, as the command does.

    A patient one is not ended by its own watchdog because the machine is busy.
    """
    _follow_the_clock(folder)
    real = JOBS[JOB]

    def sweep(now: datetime):
        folder.note_run(now)
        if folder.fault() == RAISE:
            raise LookupError("a fault")
        if folder.fault() == LEAVE:
            raise SystemExit
        return real.run(now)

    table = (_hurry(real, sweep), _hurry(JOBS["lift-undecided"]))
    short: dict[tuple[object, str], object] = {
        (process, "Scheduler"): partial(process.Scheduler, timetable=table),
        (process, "LOOK_EVERY"): process.LOOK_EVERY * SHARE,
        (process, "SILENCE"): process.SILENCE * (1 if patient else SHARE),
        (clockwatch, "BELIEVED_AFTER"): clockwatch.BELIEVED_AFTER * SHARE,
    }
    with ExitStack() as stack:
        for (where, name), value in short.items():
            stack.enter_context(patch.object(where, name, value))
        process.run(app)


def _hurry(job: Job, run: Callable | None = None) -> Job:
    return replace(job, run=run or job.run, every=job.every * SHARE)


def _follow_the_clock(folder: Folder) -> None:
    """Set the clock as the folder says, now and at each SIGUSR1."""
    travels: list[time_machine.travel] = []

    def set_it(*_) -> None:
        for travel in travels:
            travel.stop()
        travels.clear()
        if shift := folder.shift():
            real = datetime.fromtimestamp(time.time(), UTC)
            travel = time_machine.travel(real + shift, tick=True)
            travel.start()
            travels.append(travel)

    set_it()
    signal.signal(signal.SIGUSR1, set_it)
