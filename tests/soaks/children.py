"""Processes of a test, born by a fork: they start at once, and can be killed."""

import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from tradeboard.core.db import db

LONGEST_WAIT = 60.0
LOOK_EVERY = 0.01


@dataclass
class Child:
    """One process; `code` is None while it runs, then what it ended with."""

    pid: int
    code: int | None = None

    def poll(self) -> int | None:
        """Find out whether it has ended; return its code."""
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def wait(self, seconds: float = LONGEST_WAIT) -> int:
        """Wait until it ends, and kill it if it does not."""
        until = time.monotonic() + seconds
        while self.poll() is None:
            if time.monotonic() > until:
                self.kill()
                raise TimeoutError(f"the process {self.pid} did not end")
            time.sleep(LOOK_EVERY)
        assert self.code is not None
        return self.code

    def kill(self) -> None:
        """End it at once, wherever it is."""
        self.signal(signal.SIGKILL)
        while self.poll() is None:
            time.sleep(LOOK_EVERY)


def fork(target: Callable[[], object], *, quiet: bool = True) -> Child:
    """Do something in a process of its own; no connection is shared with it."""
    db.session.remove()
    db.engine.dispose()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        return Child(pid)
    code = 1
    try:
        if quiet:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        target()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
