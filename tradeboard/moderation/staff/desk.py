"""The desk: what awaits moderators, and the mail."""

from typing import Any

from flask import current_app, render_template, url_for
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock
from tradeboard.keeping import queries as keeping
from tradeboard.moderation import queries, rules, services
from tradeboard.moderation.staff import looking
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.moderation.staff.system import makes_backups
from tradeboard.notifications import mailer
from tradeboard.notifications import queries as notifications
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

QUEUES: dict[str, tuple[str, dict[str, Any]]] = {
    "unreviewed": ("blacklist_staff.queue", {}),
    "held": ("blacklist_staff.queue", {"show": "held"}),
    "appeals": ("blacklist_staff.appeals", {}),
    "differs": ("trades_staff.queue", {}),
    "calls": ("trades_staff.queue", {}),
    "holds": ("desk.holds", {}),
    "reports": ("reports_staff.queue", {}),
    "signals": ("desk.signals", {}),
    "notes": ("desk.notes", {}),
    "dead_mail": ("desk.outbox", {}),
    "waiting_mail": ("desk.outbox", {}),
}


@bp.get("")
@access.permits(Act.OPEN_DESK)
def index():
    """Show each queue with its number and its oldest; overdue ones on top."""
    now, kept = clock.now(), keeping.kept()
    waiting = rules.in_order(queries.queues(now), now)
    return render_template(
        "moderation/index.html",
        queues=[(queue, _url(queue.name)) for queue in waiting],
        scheduler_is_red=queries.is_scheduler_red(now),
        backups_are_late=makes_backups(kept, now) and kept.is_late(now),
        log_is_broken=queries.chain_state().broken is not None,
    )


def _url(name):
    endpoint, values = QUEUES[name]
    known = endpoint in current_app.view_functions
    return url_for(endpoint, **values) if known else None


@bp.get("/outbox")
@access.permits(Act.HANDLE_MAIL)
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
@access.permits(Act.HANDLE_MAIL)
def mail(mail_id):
    """Show a mail as its reader sees it, but for what its link is good for."""
    looking.at_mail(mail_id)
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
@access.permits(Act.HANDLE_MAIL)
def retry(mail_id):
    """Try a mail again."""
    form = ButtonForm()
    if not form.validate_on_submit():
        return _show_mail(mail_id, form), 422
    return act(form.submit_id.data, lambda: _retry(mail_id))


def _retry(mail_id):
    services.retry_mail(mail_id, by=current_user, now=clock.now())
    return url_for("desk.mail", mail_id=mail_id)
