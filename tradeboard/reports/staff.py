"""The desk's queue of reports, and one report with what stands around it."""

from flask import Blueprint, flash, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import looking
from tradeboard.core import clock, paging
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.listings import queries as listings
from tradeboard.notifications import mailer
from tradeboard.reports import queries, rules, services
from tradeboard.reports.forms import SettleForm
from tradeboard.reports.rules import Outcome, ReportState, Subject, Which
from tradeboard.web import access
from tradeboard.web.acting import act, rehearse
from tradeboard.web.fields import ButtonForm

bp = Blueprint("reports_staff", __name__, url_prefix="/desk/reports")
bp.before_request(access.require_staff)


@bp.get("")
@access.permits(Act.SETTLE_REPORTS)
def queue():
    """Show reports: those that wait, those that one is at, or settled ones."""
    text = request.args.get("show", "")
    which = Which(text) if text in set(Which) else Which.OPEN
    after = paging.decode(request.args.get("after"))
    now = clock.now()
    found = queries.queue(which, after, by_id=current_user.id, now=now)
    page = paging.page(found, paging.PAGE_SIZE, "made_at")
    return render_template(
        "reports/staff/queue.html",
        page=page,
        numbers=queries.numbers(page.rows) if which is Which.OPEN else {},
        which=which,
        rules=rules,
        more=url_for("reports_staff.queue", show=which, after=page.after)
        if page.after
        else None,
    )


@bp.get("/<int:report_id>")
@access.permits(Act.SETTLE_REPORTS)
def report(report_id):
    """Show a report with the thing itself and what is known of the person."""
    _get(report_id)
    _leave_trace(report_id)
    found = _get(report_id)
    return _page(found, SettleForm(found.subject, formdata=None))


def _leave_trace(report_id):
    """Record who looks at what was said of somebody, and at what is known of him."""
    with transaction():
        found = queries.get_report(report_id)
        thing = f"report:{report_id}"
        looking.look((found.account_id,), thing, by=current_user, now=clock.now())


@bp.post("/<int:report_id>/claim")
@access.permits(Act.SETTLE_REPORTS)
def claim(report_id):
    """Take a report, or give it back."""
    _get(report_id)
    form = ButtonForm()
    if not form.validate_on_submit():
        found = _get(report_id)
        return _page(found, SettleForm(found.subject, formdata=None)), 422
    gives_back = request.form.get("give_back") == "1"

    def happen():
        if gives_back:
            services.leave(report_id, by=current_user)
        else:
            services.take(report_id, by=current_user, now=clock.now())
        return url_for("reports_staff.report", report_id=report_id)

    return act(form.submit_id.data, happen)


@bp.post("/<int:report_id>/settle")
@access.permits(Act.SETTLE_REPORTS)
def settle(report_id):
    """Show a decision with its mails, then, pressed again, let it happen."""
    found = _get(report_id)
    services.require_outsider(found, current_user)
    form = SettleForm(found.subject)
    step = request.form.get("step")
    if step == "edit":
        return _page(found, form)
    if not form.validate_on_submit():
        return _page(found, form), 422

    def happen():
        services.settle(
            report_id,
            Outcome(form.outcome.data),
            form.sentence.data or "",
            days=int(form.days.data) if form.days.data else None,
            by=current_user,
            now=clock.now(),
        )
        return url_for("reports_staff.report", report_id=report_id)

    try:
        if step != "settle":
            return _review(report_id, form, happen)
        answer = act(form.submit_id.data, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(queries.get_report(report_id), form), 422
    flash(_("知らせを終えました。"), "ok")
    return answer


def _get(report_id):
    """Return a report; one about the reader would tell who made it."""
    found = queries.get_report(report_id)
    if found.account_id == current_user.id:
        raise NotFound("この知らせは見つかりません。")
    return found


def _review(report_id, form, happen):
    newest = queries.newest_mail_id()
    letters = rehearse(happen, lambda: _letters(newest))
    with transaction():
        services.take(report_id, by=current_user, now=clock.now())
    return render_template(
        "reports/staff/review.html",
        report=queries.get_report(report_id),
        form=form,
        letters=letters,
        rules=rules,
        outcome=Outcome(form.outcome.data),
    )


def _letters(newest):
    """Read the mails that were queued since."""
    found = []
    for mail in queries.mails_after(newest):
        subject, body = mailer.render(mail)
        handle = queries.handle_of(mail.account_id)
        texts = mailer.without_secrets(subject), mailer.without_secrets(body)
        found.append((handle, mail.language, *texts))
    return found


def _page(found, form):
    now = clock.now()
    listing = title = None
    if found.listing_id is not None:
        listing = listings.find_listing(found.listing_id)
        title = listing and listings.title_of(listing)
    is_message = found.subject is Subject.MESSAGE
    return render_template(
        "reports/staff/report.html",
        report=found,
        form=form,
        rules=rules,
        listing=listing,
        title=title,
        messages=queries.around(found.message_id) if is_message else [],
        history=queries.history(found.account_id),
        alike=queries.alike(found),
        claimer=queries.handle_of(found.claimed_by_id)
        if rules.is_live(found.claimed_at, now)
        else "",
        settler=queries.handle_of(found.settled_by_id),
        is_open=found.state is ReportState.OPEN,
        may_decide=services.may_settle(found, current_user),
        new_button=lambda: ButtonForm(formdata=None),
    )
