"""Pages of members: report something, read the own warnings."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.core import clock, drafts
from tradeboard.core.errors import RuleBroken, TooMany
from tradeboard.core.transaction import transaction
from tradeboard.reports import queries, rules, services
from tradeboard.reports.forms import ReportForm
from tradeboard.reports.rules import Reason
from tradeboard.web import throttling
from tradeboard.web.acting import act
from tradeboard.web.error_pages import STATUS
from tradeboard.web.fields import ButtonForm
from tradeboard.web.ways import this_page

bp = Blueprint("reports", __name__)

REPORTS = "20 per day"


@bp.route("/report/listing/<int:listing_id>", methods=["GET", "POST"])
def listing(listing_id):
    """Report a listing that one may see."""
    return _page(queries.target_of_listing(listing_id, current_user))


@bp.route("/report/message/<int:message_id>", methods=["GET", "POST"])
def message(message_id):
    """Report a message of the own trade."""
    return _page(queries.target_of_message(message_id, current_user))


@bp.route("/report/person/<handle>", methods=["GET", "POST"])
def person(handle):
    """Report a person, by handle."""
    return _page(queries.target_of_person(handle))


@bp.get("/report/thanks")
def thanks():
    """Say that it arrived, and what comes next."""
    return render_template("reports/thanks.html")


def _page(target):
    form = ReportForm()
    if request.method == "GET":
        return _form_page(target, _from_draft(target))
    if request.form.get("do") == "draft":
        return _keep(target, form)
    if not form.validate_on_submit():
        return _form_page(target, form), 422

    def happen():
        services.report(
            target,
            Reason(form.reason.data),
            form.words.data or "",
            by=current_user,
            now=clock.now(),
        )
        return url_for("reports.thanks")

    try:
        throttling.limit("report", str(current_user.id), REPORTS)
        return act(form.submit_id.data, happen)
    except (RuleBroken, TooMany) as refusal:
        form.refuse(refusal)
        return _form_page(target, form), STATUS[type(refusal)]


def _from_draft(target):
    form = ReportForm(formdata=None)
    kept = drafts.find(current_user.id, services.draft_kind(target), target.number)
    if kept:
        form.reason.data = kept.get("reason")
        form.words.data = kept.get("words", "")
    return form


def _keep(target, form):
    """Keep what was typed, whatever it is, and show it again."""
    fields = {
        "reason": form.reason.data if form.reason.data in rules.REASONS else None,
        "words": (form.words.data or "")[: 2 * rules.LONGEST_WORDS],
    }
    with transaction():
        drafts.keep(
            current_user.id,
            services.draft_kind(target),
            target.number,
            fields,
            now=clock.now(),
        )
    flash(_("下書きに残しました。"), "ok")
    return redirect(this_page(), 303)


def _form_page(target, form):
    return render_template(
        "reports/report.html",
        target=target,
        form=form,
        is_own=target.account_id == current_user.id,
        is_open=queries.find_open(target, current_user.id) is not None,
    )


@bp.get("/me/warnings")
def warnings():
    """Show the warnings that one got from moderators."""
    return _warnings()


@bp.post("/me/warnings/<int:warning_id>/seen")
def see_warning(warning_id):
    """Say that one has read a warning."""
    form = ButtonForm()
    if not form.validate_on_submit():
        return _warnings(), 422

    def happen():
        services.see_warning(warning_id, by=current_user, now=clock.now())
        return url_for("reports.warnings")

    return act(form.submit_id.data, happen)


def _warnings():
    return render_template(
        "reports/warnings.html",
        warnings=queries.warnings_of(current_user.id),
        reasons=rules.REASONS,
        new_button=lambda: ButtonForm(formdata=None),
    )
