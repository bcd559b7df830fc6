"""Run the timetable, or one job of it at a pretended moment."""

from datetime import UTC, datetime
from typing import Any

import click
from flask import current_app
from flask.cli import AppGroup

from tradeboard.blacklist import queries as blacklist
from tradeboard.cli.speaking import as_json, in_app, instant, say
from tradeboard.core import clock, instance_lock, keyring
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.core.sweep import Swept
from tradeboard.scheduler import process, turns
from tradeboard.scheduler.timetable import JOBS, Job

jobs = AppGroup("jobs", help="What runs by the clock.")

SWEEP = "sweep-overdue"
AT_ONCE = 500


@click.command("scheduler")
@in_app
def scheduler():
    """Run every job by the clock until a signal comes."""
    keyring.ring()
    app = current_app._get_current_object()  # type: ignore[attr-defined]  # a proxy's
    instance_lock.hold_shared(app)
    process.run(app)


class Moment(click.ParamType):
    """An instant with its zone, as ISO 8601 has it."""

    name = "ISO"

    def convert(self, value, param, ctx):
        """Read the instant; one without a zone could mean two."""
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value} is no instant, such as 2026-12-15T14:00:00+09:00.")
        if moment.tzinfo is None:
            self.fail(f"{value} names no zone, such as Z or +09:00.")
        return moment.astimezone(UTC)


@jobs.command("list")
@as_json
@in_app
def list_jobs(as_json):
    """Show each job and its last run."""
    rows = {row.name: row for row in db.session.scalars(db.select(JobRun))}
    for job in JOBS.values():
        row = rows.get(job.name)
        ok_at = instant(row.ok_at) if row else None
        error = row.error if row else None
        found = {
            "job": job.name,
            "every_s": int(job.every.total_seconds()),
            "started_at": instant(row.started_at) if row else None,
            "ok_at": ok_at,
            "done": row.done if row else None,
            "error": error,
        }
        every = f"every {job.every}"
        words = f"{job.name:20} {every:15} {ok_at or 'never':33} {error or ''}"
        say(found, words.rstrip(), as_json)


@jobs.command("run")
@click.argument("name")
@click.option("--at", type=Moment(), help="Pretend that it is this instant.")
@as_json
@in_app
def run_job(name, at, as_json):
    """Run one job now, or as it would have run at another instant."""
    job = JOBS.get(name)
    if job is None:
        known = ", ".join(JOBS)
        raise click.UsageError(f"There is no job {name}. There are: {known}.")
    now = at or clock.now()
    swept = _pretend(job, now) if at else turns.perform(job, now)
    found: dict[str, Any] = {"job": job.name, "at": instant(now), "done": swept.done}
    if job.name == SWEEP:
        found["entries"] = _entries(swept)
    words = f"{job.name} at {instant(now)}: {swept.done} done, {swept.failed} failed"
    say(found, words, as_json)


def _pretend(job: Job, now: datetime) -> Swept:
    """Do a job without a trace in its row, which tells of the real time."""
    found = job.run(now)
    return found if isinstance(found, Swept) else Swept(done=found)


def _entries(swept: Swept) -> list[dict[str, Any]]:
    """Return what a sweep entered on the blacklist."""
    ids = [entry_id for made in swept.results for entry_id in made]
    return [
        {
            "id": entry.id,
            "trade": entry.trade_id,
            "handle": entry.handle,
            "state": entry.state,
            "finding": entry.finding,
        }
        for begin in range(0, len(ids), AT_ONCE)
        for entry in blacklist.entries_by_ids(ids[begin : begin + AT_ONCE])
    ]
