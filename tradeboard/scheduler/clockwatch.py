"""Whether the clock of this machine is to be believed."""

import logging
import time
from datetime import timedelta
from threading import Lock

from tradeboard.core import clock, fleet

log = logging.getLogger(__name__)

JUMP = timedelta(minutes=5)
STEP_BACK = timedelta(seconds=1)
BELIEVED_AFTER = timedelta(minutes=10)


def uptime() -> timedelta:
    """Return a clock that nobody sets, and that goes on while the machine sleeps."""
    which = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return timedelta(seconds=time.clock_gettime(which))


class Clock:
    """Compares the wall clock with the uptime: a wrong clock must list nobody."""

    def __init__(self):
        self._lock = Lock()
        self._wall, self._up = clock.now(), uptime()
        self._believed_from = self._up
        self._went_back = False

    def look(self) -> None:
        """Find out whether the wall clock was set since the last look."""
        with self._lock:
            wall, up = clock.now(), uptime()
            step = (wall - self._wall) - (up - self._up)
            self._wall, self._up = wall, up
            if step > JUMP:
                self._believed_from = up + BELIEVED_AFTER
                log.critical("the clock jumped forward by %s; jobs wait", step)
            if step < -STEP_BACK:
                self._went_back = True
                log.warning("the clock went back by %s", -step)

    def went_back(self) -> bool:
        """Tell once that the clock was set back."""
        with self._lock:
            said, self._went_back = self._went_back, False
            return said

    def doubt(self) -> str | None:
        """Say why the clock is not to be believed now, or return None."""
        self.look()
        if uptime() < self._believed_from:
            return "the clock jumped forward"
        apart = fleet.clock_apart()
        if apart > fleet.MOST_APART:
            return f"the clock is {apart.total_seconds():.1f} s apart from the database"
        return None
