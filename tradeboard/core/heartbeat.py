"""Proof that jobs run: a pulse inside the process, and a row in the database."""

from datetime import datetime
from threading import Event

from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core.db import db

_pulse = Event()


class JobRun(db.Model):
    """The last run of one job, by whichever scheduler claimed it."""

    name: Mapped[str] = mapped_column(primary_key=True)
    started_at: Mapped[datetime | None]
    ok_at: Mapped[datetime | None]
    claimed_until: Mapped[datetime | None]
    error: Mapped[str | None]
    host: Mapped[str | None]
    done: Mapped[int] = mapped_column(default=0)


def beat() -> None:
    """Show that a job is making progress."""
    _pulse.set()


def pulse() -> Event:
    """Return the pulse, for the watchdog to wait on and clear."""
    return _pulse
