"""Whether what runs keeps up: clock, disks, mail, jobs, backups."""

import shutil
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select

from tradeboard.core import fleet
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.core.photo_store import ROOM_TO_KEEP
from tradeboard.keeping import queries, rules
from tradeboard.keeping.doctor.report import Report
from tradeboard.keeping.models import BackupRun
from tradeboard.notifications import queries as notifications

MEGABYTE = 1000 * 1000
LATE_AFTER = timedelta(minutes=3)
SHOWN = 3


def look_at_clock(report: Report) -> None:
    """Compare the clock with that of the database server."""
    apart = fleet.clock_apart()
    report.facts["clock_apart_s"] = round(apart.total_seconds(), 3)
    if apart > fleet.MOST_APART:
        report.find(
            "clock",
            f"The clock is {apart.total_seconds():.1f} s apart from the database's.",
            "Set up chrony on both machines; the sweep waits until they agree.",
        )


def look_at_disks(config: Mapping[str, Any], report: Report) -> None:
    """Look how much room is left where the board writes."""
    places = {} if config["PHOTO_STORE"] else {"photos": Path(config["UPLOADS"])}
    if db.engine.dialect.name == "sqlite":
        places["database"] = Path(db.engine.url.database or "")
    if config.get("BACKUPS"):
        places["backups"] = Path(config["BACKUPS"])
    for name, place in places.items():
        there = next((one for one in (place, *place.parents) if one.exists()), None)
        if there is None:
            continue
        free = shutil.disk_usage(there).free
        report.facts[f"free_mb_{name}"] = free // MEGABYTE
        if free < ROOM_TO_KEEP:
            report.find(
                "disk",
                f"Only {free // MEGABYTE} MB are free for {name} ({there}).",
                "Make room: below 500 MB no photo is taken any more.",
            )


def look_at_fleet(now: datetime, report: Report) -> None:
    """Compare what the processes of every host say of themselves."""
    nodes = fleet.awake(now)
    report.facts["fleet"] = [
        {
            "name": node.name,
            "kind": node.kind,
            "version": node.version,
            "revision": node.revision,
            "keys": node.keys,
            "clock_apart_ms": node.apart_ms,
        }
        for node in nodes
    ]
    for difference in fleet.differences(nodes):
        report.find(f"fleet {difference.what}", difference.words, difference.remedy)


def look_at_mail(now: datetime, report: Report) -> None:
    """Look for mail that was given up, and for mail that waits too long."""
    dead = len(notifications.dead(now))
    late = notifications.late_by(now)
    report.facts |= {
        "mail_dead": dead,
        "mail_late_s": round(late.total_seconds()) if late else 0,
    }
    if dead:
        report.find(
            "mail",
            f"{dead} mails were given up.",
            "See why at /desk/outbox, mend it, and send them again there.",
        )
    if late:
        report.find(
            "mail",
            f"The oldest mail has waited {late}.",
            "See whether the mail server answers, and whether deliver-outbox runs.",
        )


def look_at_jobs(every: Mapping[str, timedelta], now: datetime, report: Report) -> None:
    """Look for jobs that have not ended well for too long; all silent ones as one."""
    rows = {row.name: row for row in db.session.scalars(select(JobRun))}
    went_well = {name: row.ok_at for name, row in rows.items()}
    late = [
        name
        for name, interval in every.items()
        if _is_late(went_well.get(name), interval, now)
    ]
    failing = [name for name in late if name in rows and rows[name].error]
    for name in failing:
        report.find(
            "jobs",
            f"{name} fails, and last went well: {_instant(went_well[name])}. "
            f"{rows[name].error}.",
            "Mend what it says; the scheduler logs more about it.",
        )
    if silent := [name for name in late if name not in failing]:
        shown = ", ".join(silent[:SHOWN])
        report.find(
            "jobs",
            f"{len(silent)} of {len(every)} jobs do not run: {shown}"
            f"{', …' if len(silent) > SHOWN else ''}.",
            "See whether a scheduler runs.",
        )
    report.facts["jobs_late"] = late


def _is_late(ok_at: datetime | None, interval: timedelta, now: datetime) -> bool:
    return ok_at is None or now - ok_at > max(3 * interval, LATE_AFTER)


def _instant(moment: datetime | None) -> str:
    return moment.isoformat(timespec="seconds") if moment else "never"


def look_at_backups(config: Mapping[str, Any], now: datetime, report: Report) -> None:
    """Look when a backup was made last, and when one was last restored on trial."""
    kept = queries.kept()
    for name, run in (("backup", kept.backup_ok), ("proof", kept.proof_ok)):
        report.facts[f"last_{name}"] = run.at.isoformat() if run else None
    if not config.get("BACKUPS") and not kept.is_used(now):
        report.find(
            "backups",
            "This board makes no backups by itself.",
            "Set BACKUPS to a folder on another disk.",
        )
    elif rules.is_late(kept.backup_ok.at if kept.backup_ok else None, now):
        report.find(
            "backups",
            f"No backup is noted of the last 48 hours{_why(kept.backup)}.",
            "Run `flask --app wsgi backup` and mend what it says.",
        )
    elif rules.is_late(kept.proof_ok.at if kept.proof_ok else None, now):
        report.find(
            "backups",
            f"No backup was restored on trial in the last 48 hours{_why(kept.proof)}.",
            "Run `flask --app wsgi jobs run prove-restore` and mend what it says.",
        )


def _why(run: BackupRun | None) -> str:
    return f" ({run.note})" if run is not None and not run.ok else ""
