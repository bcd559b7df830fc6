"""The process that runs the timetable, and ends when it can no longer."""

import logging
import os
import signal
import sys
import time
from datetime import timedelta
from threading import Event, Thread

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from tradeboard.core import clock, fleet, garbage, heartbeat
from tradeboard.core.db import db
from tradeboard.scheduler import turns
from tradeboard.scheduler.clockwatch import Clock, uptime
from tradeboard.scheduler.timetable import TIMETABLE, Job

log = logging.getLogger(__name__)

NEVER_TOO_LATE = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
THREADS = 5  # No more than connections that the pool keeps open.

LOOK_EVERY = 5.0
SILENCE = timedelta(minutes=3)
LONGEST_RUN = timedelta(minutes=30)
TIME_TO_END = 8.0  # Whoever supervises us waits ten seconds before it kills.
GONE_QUIET = 70


class Scheduler:
    """Runs the timetable in threads while the main thread watches over them."""

    def __init__(self, app: Flask, timetable: tuple[Job, ...] = TIMETABLE):
        self.app = app
        self.timetable = tuple(
            job for job in timetable if not job.needs or app.config[job.needs]
        )
        self.clock = Clock()
        self.ending = Event()
        self.last_beat = uptime()
        self.ticks = {job.name: uptime() for job in self.timetable}
        self.apscheduler = BackgroundScheduler(
            timezone="UTC",
            job_defaults=NEVER_TOO_LATE,
            executors={"default": ThreadPoolExecutor(THREADS)},
        )

    def start(self) -> None:
        """Begin; each job runs at once, then at its interval."""
        for job in self.timetable:
            self.apscheduler.add_job(
                self.tick,
                "interval",
                args=(job,),
                id=job.name,
                seconds=job.every.total_seconds(),
                next_run_time=clock.now(),
            )
        self.apscheduler.start()

    def tick(self, job: Job) -> None:
        """Do a job if it is its turn and the clock is to be believed."""
        if self.ending.is_set():
            return
        with self.app.app_context():
            try:
                if (doubt := self.clock.doubt()) is not None:
                    log.critical("%s waits: %s", job.name, doubt)
                    turns.note(job, error=doubt)
                else:
                    now = clock.now()
                    if turns.claim(job, now):
                        turns.perform(job, now)
            except Exception:
                log.exception("%s failed", job.name)
            finally:
                db.session.remove()
                heartbeat.beat()
                self.ticks[job.name] = uptime()

    def watch(self) -> str | None:
        """Look after the threads; return what is wrong with them beyond repair."""
        self.clock.look()
        if self.clock.went_back():
            for job in self.timetable:
                self.apscheduler.modify_job(job.name, next_run_time=clock.now())
        if not self.apscheduler._thread.is_alive():
            return "the thread that starts the jobs is dead"
        up = uptime()
        if heartbeat.pulse().is_set():
            heartbeat.pulse().clear()
            self.last_beat = up
        if up - self.last_beat > SILENCE:
            return f"no job has made progress for {up - self.last_beat}"
        for job in self.timetable:
            silence = up - self.ticks[job.name]
            if silence > max(3 * job.every, LONGEST_RUN):
                return f"{job.name} has not ended for {silence}"
        return None

    def end(self) -> None:
        """Start nothing more, and wait a little for what is running."""
        self.ending.set()
        waiting = Thread(target=self.apscheduler.shutdown, daemon=True)
        waiting.start()
        waiting.join(TIME_TO_END)


def run(app: Flask) -> None:
    """Run the timetable until a signal ends it, or leave it to whoever restarts us.

    A thread that died, a job that hangs and a machine that slept all look alike here:
    silence. Nothing is lost by ending: what is due stands in the tables.
    """
    scheduler = Scheduler(app)
    garbage.look_seldom()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    try:
        scheduler.start()
        fleet.Beacon(app, "scheduler").light()
        log.info("the scheduler runs %s jobs", len(scheduler.timetable))
        while (trouble := scheduler.watch()) is None:
            time.sleep(LOOK_EVERY)
        log.critical("the scheduler ends: %s", trouble)
        _leave(GONE_QUIET)
    except SystemExit:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        scheduler.end()
        log.info("the scheduler has ended")
        _leave(0)


def _leave(code: int) -> None:
    """End the process even if a thread of it hangs."""
    logging.shutdown()
    os._exit(code)
