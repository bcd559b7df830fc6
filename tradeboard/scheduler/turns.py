"""Do one job: take its turn, and keep what came of it."""

import logging
import os
import socket
from datetime import datetime, timedelta

from sqlalchemy import or_, update
from sqlalchemy.exc import IntegrityError

from tradeboard.core import clock, doing, heartbeat
from tradeboard.core.db import changed, db
from tradeboard.core.heartbeat import JobRun
from tradeboard.core.sweep import Swept
from tradeboard.core.transaction import transaction
from tradeboard.scheduler.timetable import Job

log = logging.getLogger(__name__)

# Two machines' clocks may differ a little; more than that, and a clock was set back.
SKEW = timedelta(minutes=1)


def perform(job: Job, now: datetime) -> Swept:
    """Do a job at a moment, and keep what came of it."""
    heartbeat.beat()
    with doing.job(job.name):
        return _perform(job, now)


def _perform(job: Job, now: datetime) -> Swept:
    try:
        found = job.run(now)
    except BaseException as error:
        db.session.rollback()
        note(job, error=_words(error))
        raise
    finally:
        heartbeat.beat()
    swept = found if isinstance(found, Swept) else Swept(done=found)
    failed = f"{swept.failed} left for a later round" if swept.failed else None
    note(job, ok_at=clock.now(), done=swept.done, error=failed)
    if swept.done or swept.failed:
        log.info("%s: %s done, %s failed", job.name, swept.done, swept.failed)
    return swept


def note(job: Job, **facts) -> None:
    """Keep facts about the last run of a job."""
    with transaction():
        row = db.session.get(JobRun, job.name)
        if row is None:
            row = JobRun(name=job.name)
            db.session.add(row)
        for name, value in facts.items():
            setattr(row, name, value)


def _words(error: BaseException) -> str:
    """Return the first line alone: the others may hold what was being written."""
    first = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {first}"[:300]


def claim(job: Job, now: datetime) -> bool:
    """Take the turn of a job; whoever is refused leaves it to the other scheduler.

    This only saves work: rows that are due may be swept twice at once without harm. A
    turn taken in the future is void, or a clock set back would stop the job.
    """
    free = or_(
        JobRun.claimed_until.is_(None),
        JobRun.claimed_until <= now,
        JobRun.started_at > now + SKEW,
    )
    turn = {
        "started_at": now,
        "claimed_until": now + 0.9 * job.every,
        "host": f"{socket.gethostname()}:{os.getpid()}",
    }
    try:
        with transaction():
            mine = update(JobRun).where(JobRun.name == job.name, free).values(turn)
            if changed(mine):
                return True
            if db.session.get(JobRun, job.name) is None:
                db.session.add(JobRun(name=job.name, **turn))
                return True
    except IntegrityError:
        log.info("%s: another scheduler was faster", job.name)
    return False
