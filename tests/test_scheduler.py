import logging
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest

from tests.factories import MONDAY, count
from tradeboard.core import heartbeat
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.core.sweep import Swept
from tradeboard.scheduler import clockwatch, process, turns
from tradeboard.scheduler.timetable import TIMETABLE, Job

A_SECOND, A_MINUTE = timedelta(seconds=1), timedelta(minutes=1)


class Hands:
    """A wall clock and an uptime that the test moves."""

    def __init__(self):
        self.wall, self.up = MONDAY, timedelta(hours=1)

    def pass_by(self, time):
        """Let time pass for both."""
        self.wall += time
        self.up += time


@pytest.fixture
def hands(monkeypatch):
    hands = Hands()
    monkeypatch.setattr(clockwatch.clock, "now", lambda: hands.wall)
    for module in (clockwatch, process):
        monkeypatch.setattr(module, "uptime", lambda: hands.up)
    return hands


@pytest.fixture
def believed(monkeypatch):
    """Let the clocks of machine and database be together, wherever the test is."""
    apart = timedelta(0)
    monkeypatch.setattr(clockwatch.fleet, "clock_apart", lambda: apart)


def run_of(name):
    db.session.rollback()
    return db.session.get(JobRun, name)


def make_job(run=lambda _: 0, every=A_MINUTE, name="job"):
    return Job(name, run, every)


@pytest.mark.parametrize("job", TIMETABLE, ids=lambda job: job.name)
def test_each_job_runs_on_an_empty_board(app, job):
    turns.perform(job, MONDAY)

    row = run_of(job.name)
    assert (row.error, row.done) == (None, 0)
    assert row.ok_at is not None


def test_no_job_stands_there_twice():
    names = [job.name for job in TIMETABLE]

    assert len(names) == len(set(names))


def test_a_turn_is_taken_once(app):
    job = make_job()

    assert turns.claim(job, MONDAY)
    assert not turns.claim(job, MONDAY)
    assert not turns.claim(job, MONDAY + 30 * A_SECOND)
    assert turns.claim(job, MONDAY + A_MINUTE)


def test_a_clock_set_back_does_not_stop_a_job(app):
    job = make_job()
    turns.claim(job, MONDAY)

    assert turns.claim(job, MONDAY - timedelta(hours=1))


def test_of_several_at_once_one_takes_the_turn(app):
    job = make_job()
    barrier, taken = threading.Barrier(4), []

    def take():
        with app.app_context():
            barrier.wait()
            taken.append(turns.claim(job, MONDAY))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(taken) == [False, False, False, True]


def test_what_a_job_did_is_kept(app):
    turns.perform(make_job(lambda _: Swept(done=3, failed=1)), MONDAY)

    row = run_of("job")
    assert (row.done, row.error) == (3, "1 left for a later round")


def test_why_a_job_failed_is_kept_and_forgotten_when_it_is_well(app):
    def fail(_):
        raise LookupError("first line\nsecret line")

    with pytest.raises(LookupError):
        turns.perform(make_job(fail), MONDAY)
    failed = run_of("job")
    assert failed.error == "LookupError: first line"
    assert failed.ok_at is None

    turns.perform(make_job(), MONDAY)
    assert run_of("job").error is None


def test_a_job_that_fails_stops_no_other(app, believed):
    def leave(_):
        raise SystemExit

    jobs = (make_job(leave, name="a"), make_job(name="b"))
    scheduler = process.Scheduler(app, jobs)

    with pytest.raises(SystemExit):
        scheduler.tick(jobs[0])
    scheduler.tick(jobs[1])

    assert run_of("a").error == "SystemExit: "
    assert run_of("b").ok_at is not None


def test_every_tick_shows_a_pulse(app, believed):
    heartbeat.pulse().clear()
    job = make_job()

    process.Scheduler(app, (job,)).tick(job)

    assert heartbeat.pulse().is_set()


def test_after_a_jump_forward_nothing_runs_for_ten_minutes(app, hands, believed):
    ran = []
    job = make_job(lambda now: ran.append(now) or 0)
    scheduler = process.Scheduler(app, (job,))

    hands.wall += timedelta(minutes=6)
    scheduler.tick(job)
    hands.pass_by(timedelta(minutes=10) - A_SECOND)
    scheduler.tick(job)
    assert ran == []
    assert run_of("job").error == "the clock jumped forward"

    hands.pass_by(A_SECOND)
    scheduler.tick(job)
    assert ran == [hands.wall]
    assert run_of("job").error is None


def test_a_night_asleep_is_no_jump(app, hands, believed):
    ran = []
    job = make_job(lambda now: ran.append(now) or 0)
    scheduler = process.Scheduler(app, (job,))

    hands.pass_by(timedelta(hours=9))
    scheduler.tick(job)

    assert ran == [hands.wall]


def test_a_clock_apart_from_the_database_runs_nothing(app, monkeypatch):
    ran = []
    job = make_job(lambda now: ran.append(now) or 0)
    there = clockwatch.fleet.clock_apart
    here = clockwatch.clock.now
    monkeypatch.setattr(clockwatch.clock, "now", lambda: here() + 3 * A_SECOND)

    apart = there()
    process.Scheduler(app, (job,)).tick(job)

    if db.engine.dialect.name == "postgresql":
        assert 2 * A_SECOND < apart < 4 * A_SECOND
        assert ran == []
        assert "apart from the database" in run_of("job").error
    else:
        assert apart == timedelta(0)
        assert len(ran) == 1


@pytest.fixture
def started(app, hands, believed):
    """Return a scheduler whose threads run, with one job that does nothing."""
    scheduler = process.Scheduler(app, (make_job(every=timedelta(hours=1)),))
    scheduler.start()
    yield scheduler
    scheduler.end()


def test_silence_ends_the_process(started, hands):
    heartbeat.beat()
    assert started.watch() is None
    heartbeat.pulse().clear()

    hands.pass_by(process.SILENCE)
    assert started.watch() is None
    hands.pass_by(A_SECOND)
    heartbeat.pulse().clear()
    assert "no job has made progress" in started.watch()


def test_a_job_that_never_ends_ends_the_process(started, hands):
    hands.pass_by(timedelta(hours=3) + A_SECOND)
    heartbeat.beat()
    started.ticks["job"] = timedelta(hours=1)

    assert "job has not ended" in started.watch()


def test_a_dead_thread_ends_the_process(app, hands, believed):
    scheduler = process.Scheduler(app, ())
    scheduler.start()
    scheduler.end()
    scheduler.apscheduler._thread = threading.Thread()

    assert "dead" in scheduler.watch()


def test_a_clock_set_back_runs_every_job_at_once(started, hands):
    hands.wall -= timedelta(hours=1)

    assert started.watch() is None
    heartbeat.beat()

    job = started.apscheduler.get_job("job")
    assert job.next_run_time <= hands.wall + timedelta(hours=1)


def wait_for_a_run(patience=20.0):
    """Look until a job has run, or long enough."""
    until = time.monotonic() + patience
    while not count(JobRun, JobRun.ok_at.is_not(None)) and time.monotonic() < until:
        db.session.rollback()
        threading.Event().wait(0.05)


def test_the_process_runs_at_once_and_ends_well(app):
    environment = {
        **os.environ,
        "TRADEBOARD_SECRET_KEY": app.config["SECRET_KEY"],
        "TRADEBOARD_DATABASE_URL": app.config["DATABASE_URL"],
        "TRADEBOARD_KEYRING": str(app.config["KEYRING"]),
        "TRADEBOARD_AUDIT_ANCHORS": str(app.config["AUDIT_ANCHORS"]),
    }
    command = [sys.executable, "-m", "flask", "--app", "wsgi", "scheduler"]
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True
    ) as child:
        try:
            for line in child.stderr:
                if "the scheduler runs" in line:
                    break
            wait_for_a_run()
            child.send_signal(signal.SIGTERM)
            rest = child.stderr.read()
            assert child.wait(20) == 0, rest
        finally:
            child.kill()

    assert "the scheduler has ended" in rest
    assert count(JobRun) > 0


def test_a_failure_is_logged(app, believed, caplog):
    def fail(_):
        raise LookupError

    job = make_job(fail)
    with caplog.at_level(logging.ERROR):
        process.Scheduler(app, (job,)).tick(job)

    assert "job failed" in caplog.text
