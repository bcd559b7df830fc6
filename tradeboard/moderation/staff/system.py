"""The page that says how the board itself is doing."""

import platform
import shutil
from importlib import metadata

from flask import current_app, render_template

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock
from tradeboard.keeping import queries as keeping
from tradeboard.moderation import queries, rules
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.notifications import queries as notifications
from tradeboard.trades import queries as trades
from tradeboard.web import access

VERSIONS = (
    ("tradeboard", "flask", "jinja2", "sqlalchemy", "alembic", "apscheduler")
    + ("pillow", "cryptography", "waitress")
)  # fmt: skip
GIB = 1024**3


@bp.get("/system")
@access.permits(Act.READ_SYSTEM)
def system():
    """Show the jobs, how late the sweep is, the mail, odd counts, what runs here."""
    now = clock.now()
    kind, revision = queries.database()
    kept = keeping.kept()
    return render_template(
        "moderation/system.html",
        jobs=queries.job_runs(),
        scheduler_is_red=queries.is_scheduler_red(now),
        lag=trades.sweep_lag(now),
        kept=kept,
        makes_backups=makes_backups(kept, now),
        backups_are_late=makes_backups(kept, now) and kept.is_late(now),
        oldest_mail=notifications.oldest_waiting_since(),
        has_server=bool(current_app.config["SMTP_HOST"]),
        tallies=queries.tallies(now),
        counted_days=rules.COUNTED_DAYS,
        waiting=len(notifications.waiting()),
        dead=len(notifications.dead(now)),
        free=_free_gib(),
        database=kind,
        revision=revision,
        versions=[
            ("Python", platform.python_version()),
            *((name, _version(name)) for name in VERSIONS),
        ],
    )


def makes_backups(kept, now):
    """Tell whether the board makes backups by itself, on whichever machine."""
    return bool(current_app.config["BACKUPS"]) or kept.is_used(now)


def _free_gib():
    """Return what is free where photos are kept, or None if that is not known."""
    if current_app.config["PHOTO_STORE"]:
        return None
    folder = current_app.config["UPLOADS"]
    there = next((one for one in (folder, *folder.parents) if one.exists()), None)
    if there is None:
        return None
    return round(shutil.disk_usage(there).free / GIB, 1)


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "–"
