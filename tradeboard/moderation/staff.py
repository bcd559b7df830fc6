"""The desk: what awaits moderators, and how the board itself is doing."""

import platform
from importlib import metadata
from typing import Any

from flask import Blueprint, current_app, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.audit import queries as audit
from tradeboard.core import clock
from tradeboard.moderation import queries, rules, services
from tradeboard.notifications import mailer
from tradeboard.notifications import queries as notifications
from tradeboard.trades import queries as trades
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm
from tradeboard.web.readable import whole

bp = Blueprint("desk", __name__, url_prefix="/desk")
bp.before_request(access.require_staff)

AUDIT_PAGE = 50
VERSIONS = ("tradeboard", "flask", "sqlalchemy", "apscheduler")
QUEUES: dict[str, tuple[str, dict[str, Any]]] = {
    "unreviewed": ("blacklist_staff.queue", {}),
    "held": ("blacklist_staff.queue", {"state": "held"}),
    "differs": ("trades_staff.queue", {}),
    "calls": ("trades_staff.queue", {}),
    "dead_mail": ("desk.outbox", {}),
    "waiting_mail": ("desk.outbox", {}),
}


@bp.app_context_processor
def frame():
    """Give every page of the desk, of whichever feature, its menu."""
    if not request or not request.path.startswith("/desk"):
        return {}
    pages = (
        (_("審査キュー"), "desk.index", "shield"),
        (_("記録"), "blacklist_staff.queue", "list"),
        (_("メール"), "desk.outbox", "mail"),
        (_("監査ログ"), "desk.audit", "lock"),
        (_("システム"), "desk.system", "server"),
    )
    links = [
        (label, url_for(endpoint), drawing, request.endpoint == endpoint)
        for label, endpoint, drawing in pages
        if endpoint in current_app.view_functions
    ]
    return {"desk_links": links}


@bp.get("")
def index():
    """Show each queue with its number and its oldest; overdue ones on top."""
    now = clock.now()
    waiting = rules.in_order(queries.queues(now), now)
    return render_template(
        "moderation/index.html",
        queues=[(queue, _url(queue.name)) for queue in waiting],
        scheduler_is_red=queries.is_scheduler_red(now),
    )


def _url(name):
    endpoint, values = QUEUES[name]
    known = endpoint in current_app.view_functions
    return url_for(endpoint, **values) if known else None


@bp.get("/outbox")
def outbox():
    """Show the mails that have not left, and those that were given up."""
    waiting = notifications.waiting()
    dead = notifications.dead(clock.now())
    ids = {mail.account_id for mail in (*waiting, *dead) if mail.account_id}
    return render_template(
        "moderation/outbox.html",
        waiting=waiting,
        dead=dead,
        handles=queries.handles(ids),
        has_server=bool(current_app.config["SMTP_HOST"]),
    )


@bp.get("/outbox/<int:mail_id>")
def mail(mail_id):
    """Show a mail as its reader sees it, but for what its link is good for."""
    return _show_mail(mail_id, ButtonForm())


def _show_mail(mail_id, form):
    found = notifications.get_mail(mail_id)
    subject = body = trouble = None
    try:
        subject, body = mailer.render(found)
    except Exception as error:
        trouble = type(error).__name__
    ids = {found.account_id} if found.account_id else set()
    return render_template(
        "moderation/mail.html",
        mail=found,
        handle=next(iter(queries.handles(ids).values()), None),
        subject=subject and mailer.without_secrets(subject),
        body=body and mailer.without_secrets(body),
        trouble=trouble,
        form=form,
    )


@bp.post("/outbox/<int:mail_id>/retry")
def retry(mail_id):
    """Try a mail again."""
    form = ButtonForm()
    if not form.validate_on_submit():
        return _show_mail(mail_id, form), 422
    return act(form.submit_id.data, lambda: _retry(mail_id))


def _retry(mail_id):
    services.retry_mail(mail_id, by=current_user, now=clock.now())
    return url_for("desk.mail", mail_id=mail_id)


@bp.get("/system")
def system():
    """Show the jobs, how late the sweep is, the mail, and what runs here."""
    now = clock.now()
    kind, revision = queries.database()
    return render_template(
        "moderation/system.html",
        jobs=queries.job_runs(),
        scheduler_is_red=queries.is_scheduler_red(now),
        lag=trades.sweep_lag(now),
        oldest_mail=notifications.oldest_waiting_since(),
        has_server=bool(current_app.config["SMTP_HOST"]),
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


@bp.get("/audit", endpoint="audit")
def audit_log():
    """Show what was recorded, the newest first."""
    before = whole(request.args.get("before"))
    rows = audit.newest(before=before, limit=AUDIT_PAGE + 1)
    page = rows[:AUDIT_PAGE]
    more = len(rows) > AUDIT_PAGE
    ids = {row.actor_id for row in page if row.actor_id}
    return render_template(
        "moderation/audit.html",
        rows=page,
        handles=queries.handles(ids),
        more=url_for("desk.audit", before=page[-1].seq) if more else None,
    )
