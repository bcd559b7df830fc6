"""The real scheduler with a tick of two seconds instead of a minute."""

from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial
from unittest.mock import patch

from tradeboard.app import create_app
from tradeboard.core import keyring
from tradeboard.scheduler import process
from tradeboard.scheduler.timetable import JOBS
from tradeboard.trades.services import overdue

TICK = timedelta(seconds=2)
SHARE = TICK / timedelta(minutes=1)
RED_AFTER = 3 * TICK
SILENCE = 4 * TICK
LOOK_EVERY = 0.5
NEEDED = ("sweep-overdue", "lift-undecided")


def main() -> None:
    """Run it until a signal ends it, as the command does."""
    app = create_app()
    table = tuple(replace(JOBS[name], every=TICK) for name in NEEDED)
    short: dict[str, object] = {
        "Scheduler": partial(process.Scheduler, timetable=table),
        "LOOK_EVERY": LOOK_EVERY,
        "SILENCE": SILENCE,
    }
    with ExitStack() as stack, app.app_context():
        stack.enter_context(patch.object(overdue, "timedelta", _pause))
        for name, value in short.items():
            stack.enter_context(patch.object(process, name, value))
        keyring.ring()
        process.run(app)


def _pause(*, minutes: float) -> timedelta:
    """Shorten how long a trade that failed waits for its next turn."""
    return timedelta(minutes=minutes) * SHARE


if __name__ == "__main__":
    main()
