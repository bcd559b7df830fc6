"""The page that says how the board itself is doing."""

import platform
from importlib import metadata

from flask import current_app, render_template

from tradeboard.core import clock
from tradeboard.moderation import queries, rules
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.notifications import queries as notifications
from tradeboard.trades import queries as trades

VERSIONS = ("tradeboard", "flask", "sqlalchemy", "apscheduler")


@bp.get("/system")
def system():
    """Show the jobs, how late the sweep is, the mail, odd counts, what runs here."""
    now = clock.now()
    kind, revision = queries.database()
    return render_template(
        "moderation/system.html",
        jobs=queries.job_runs(),
        scheduler_is_red=queries.is_scheduler_red(now),
        lag=trades.sweep_lag(now),
        oldest_mail=notifications.oldest_waiting_since(),
        has_server=bool(current_app.config["SMTP_HOST"]),
        tallies=queries.tallies(now),
        counted_days=rules.COUNTED_DAYS,
        database=kind,
        revision=revision,
        versions=[
            ("Python", platform.python_version()),
            *((name, _version(name)) for name in VERSIONS),
        ],
    )


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "–"
