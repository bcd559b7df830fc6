"""What stands above every page: written, looked at first, ended early."""

from datetime import timedelta

from flask import flash, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.moderation import queries, services
from tradeboard.moderation.forms import AnnouncementForm, WhyForm
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.site import queries as site
from tradeboard.site.rules import Level
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.moments import in_japan

SHOWN_FOR = timedelta(days=1)


@bp.get("/announcements")
@access.permits(Act.ANNOUNCE)
def announcements():
    """Show what is, was and will be announced, and the form of a new one."""
    return _first()


@bp.post("/announcements")
@access.permits(Act.ANNOUNCE)
def announce():
    """Show how it will look, or let it stand above the pages."""
    form = AnnouncementForm()
    if not form.validate_on_submit():
        return _page(form), 422
    if request.form.get("do") != "publish":
        return _page(form, preview=True)

    def happen():
        services.announce(
            Level(form.level.data),
            form.text_ja.data or "",
            form.text_en.data or "",
            form.why.data or "",
            starts_at=form.starts.instant(),
            ends_at=form.ends.instant(),
            by=current_user,
            now=clock.now(),
        )
        return url_for("desk.announcements")

    try:
        answer = act(form.submit_id.data, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form, preview=True), 422
    site.forget()
    flash(_("お知らせを出しました。"), "ok")
    return answer


@bp.post("/announcements/<int:announcement_id>/end")
@access.permits(Act.ANNOUNCE)
def end_announcement(announcement_id):
    """Take one off the pages now, with a reason."""
    form = WhyForm()

    def happen():
        why = form.why.data or ""
        services.end_announcement(
            announcement_id, why, by=current_user, now=clock.now()
        )
        return url_for("desk.announcements")

    try:
        if not form.validate_on_submit():
            return _first(ending=(announcement_id, form)), 422
        answer = act(form.submit_id.data, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _first(ending=(announcement_id, form)), 422
    site.forget()
    return answer


def _typed(moment):
    return moment.strftime("%Y-%m-%dT%H:%M")


def _first(ending=None):
    """Show the page with an empty form of a new one."""
    form = AnnouncementForm(formdata=None)
    now = in_japan(clock.now())
    form.starts.data = _typed(now)
    form.ends.data = _typed(now + SHOWN_FOR)
    return _page(form, ending=ending)


def _page(form, preview=False, ending=None):
    rows = site.announcements()
    return render_template(
        "moderation/announcements.html",
        rows=rows,
        handles=queries.handles({row.by_id for row in rows}),
        form=form,
        preview=preview,
        ending_form=lambda number: _ending(number, ending),
        ended=ending[1] if ending else None,
    )


def _ending(number, sent):
    """Return the form that ends an announcement: the one that was sent, if its."""
    form = sent[1] if sent and sent[0] == number else WhyForm(formdata=None)
    form.why.id = f"why-{number}"
    return form
