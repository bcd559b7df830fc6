"""The figures of the whole board that the tables hold; each by a bounded statement."""

import platform
from datetime import datetime, timedelta

from sqlalchemy import func, select

from tradeboard.audit import queries as audit
from tradeboard.core import fleet
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.keeping import queries
from tradeboard.notifications import queries as notifications
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import queries as trades
from tradeboard.web.metrics import Figure

MOST_COUNTED = 10_000
NOTHING = timedelta(0)


def read(now: datetime) -> list[Figure]:
    """Return what is waiting, how late it is, and how long ago things went well."""
    head = audit.head()
    return [
        *_mail(now),
        *_jobs(now),
        *_kept(now),
        Figure(
            "tradeboard_sweep_lag_seconds",
            "How long the oldest overdue trade has waited.",
            (trades.sweep_lag(now) or NOTHING).total_seconds(),
        ),
        Figure(
            "tradeboard_audit_head",
            "The number of the last row of the audit log.",
            head.seq if head else 0,
        ),
        Figure(
            "tradeboard_build_info",
            "Which release answers; always 1.",
            1,
            {
                "version": fleet.version(),
                "revision": fleet.revision_of_code(),
                "python": platform.python_version(),
                "database": db.engine.dialect.name,
            },
        ),
    ]


def _mail(now: datetime) -> list[Figure]:
    waiting = select(OutboxMail.queued_at).where(*notifications.WAITING)
    some = waiting.order_by(OutboxMail.next_try_at).limit(MOST_COUNTED).subquery()
    count, oldest = db.session.execute(
        select(func.count(), func.min(some.c.queued_at))
    ).one()
    age = now - oldest if oldest else NOTHING
    return [
        Figure("tradeboard_mail_waiting", "Mails that have not left yet.", count),
        Figure(
            "tradeboard_mail_oldest_seconds",
            "How long the oldest mail has waited.",
            age.total_seconds(),
        ),
        Figure(
            "tradeboard_mail_dead",
            "Mails that were given up lately, counted to 100.",
            len(notifications.dead(now)),
        ),
    ]


def _jobs(now: datetime) -> list[Figure]:
    rows = db.session.execute(
        select(JobRun.name, JobRun.ok_at, JobRun.error).order_by(JobRun.name)
    ).all()
    ages = [
        Figure(
            "tradeboard_job_age_seconds",
            "How long ago a job went well.",
            (now - ok_at).total_seconds(),
            {"job": name},
        )
        for name, ok_at, _ in rows
        if ok_at is not None
    ]
    failing = [
        Figure(
            "tradeboard_job_failing",
            "Whether the last run of a job left something undone.",
            int(error is not None),
            {"job": name},
        )
        for name, _, error in rows
    ]
    return ages + failing


def _kept(now: datetime) -> list[Figure]:
    kept = queries.kept()
    return [
        Figure(f"tradeboard_{name}_age_seconds", words, (now - run.at).total_seconds())
        for name, words, run in (
            ("backup", "How long ago a backup was made.", kept.backup_ok),
            ("restore_proof", "How long ago one was restored.", kept.proof_ok),
        )
        if run is not None
    ]
