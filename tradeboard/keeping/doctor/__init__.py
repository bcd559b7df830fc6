"""Look at a whole board, and say of each thing that is wrong what to do."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from flask import Flask

from tradeboard.core import heartbeat, photo_store
from tradeboard.core.db import db
from tradeboard.core.elsewhere import elsewhere
from tradeboard.keeping.doctor import around, running, tables
from tradeboard.keeping.doctor.around import look_at_settings
from tradeboard.keeping.doctor.report import Finding, Report

__all__ = ["Finding", "Report", "examine", "look_at_settings"]


def examine(
    url: str,
    now: datetime,
    *,
    every: Mapping[str, timedelta] | None = None,
    anchors_until: int | None = None,
    whole_fleet: bool = False,
    **settings,
) -> Report:
    """Examine a database and what lies around it.

    With `every`, how often each job runs, it is a running board: jobs, mail, disks and
    backups are looked at, too. Of a copy the anchors count that are not younger.
    """
    report = Report()
    with elsewhere(url, **settings) as there:
        with db.engine.connect() as connection:
            tables.look_at_schema(connection, report)
            if report.facts["revision"] != report.facts["revision_of_code"]:
                return report
            tables.look_at_rows(connection, report)
            store = photo_store.of(there.config)
            around.look_at_photos(connection, store, now, report)
        heartbeat.beat()
        around.look_at_keys(report)
        around.look_at_log(there.config["AUDIT_ANCHORS"], anchors_until, report)
        if every is not None:
            _look_at_what_runs(there, now, every, report)
        if whole_fleet:
            running.look_at_fleet(now, report)
    return report


def _look_at_what_runs(
    there: Flask, now: datetime, every: Mapping[str, timedelta], report: Report
) -> None:
    running.look_at_clock(report)
    running.look_at_disks(there.config, report)
    running.look_at_mail(now, report)
    running.look_at_jobs(every, now, report)
    running.look_at_backups(there.config, now, report)
