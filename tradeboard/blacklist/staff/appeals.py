"""Appeals on the desk: what is due first, and the decision about one."""

from flask import render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.blacklist import queries
from tradeboard.blacklist.rules import appeals as rules
from tradeboard.blacklist.rules.appeals import AppealState, Right
from tradeboard.blacklist.rules.entries import LiftReason
from tradeboard.blacklist.services import appeals, claims
from tradeboard.blacklist.staff import showing
from tradeboard.blacklist.staff.blueprint import bp
from tradeboard.blacklist.staff.entry import shared
from tradeboard.blacklist.staff.forms import AppealForm
from tradeboard.blacklist.staff.rehearsal import letters_of
from tradeboard.core import clock, paging
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm


@bp.get("/appeals", endpoint="appeals")
@access.permits(Act.DECIDE_APPEALS)
def appeal_queue():
    """Show the open appeals, what is due first on top."""
    now = clock.now()
    after = paging.decode(request.args.get("after"))
    found = queries.appeal_queue(after, by_id=current_user.id)
    page = paging.page(found, paging.PAGE_SIZE, "due_at")
    waiting, red = queries.count_appeals(now)
    return render_template(
        "blacklist/staff/appeals.html",
        page=page,
        claims=queries.claims_on([one.entry_id for one in page.rows], now),
        is_overdue=rules.is_overdue,
        waiting=waiting,
        red=red,
    )


@bp.get("/appeals/<int:appeal_id>")
@access.permits(Act.DECIDE_APPEALS)
def appeal(appeal_id):
    """Show an appeal with its entry, both sides of it, and who upheld."""
    form = AppealForm(formdata=None)
    form.version.data = str(queries.get_appeal(appeal_id).version)
    return _page(appeal_id, form)


@bp.post("/appeals/<int:appeal_id>/decide")
@access.permits(Act.DECIDE_APPEALS)
def decide_appeal(appeal_id):
    """Show a decision with its mail, then, pressed again, let it happen."""
    form = AppealForm()
    version = showing.version_of(form.version.data)
    step = request.form.get("step")
    if step == "edit":
        return _page(appeal_id, form)
    if not form.validate_on_submit():
        return _page(appeal_id, form), 422

    def happen():
        _decide(appeal_id, version, form)
        return url_for("blacklist_staff.appeal", appeal_id=appeal_id)

    try:
        if step == "decide":
            return act(form.submit_id.data, happen)
        letters = letters_of(happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(appeal_id, form), 422
    entry_id = queries.get_appeal(appeal_id).entry_id
    with transaction():
        claims.touch(entry_id, by=current_user, now=clock.now())
    return _review_page(appeal_id, form, letters)


def _decide(appeal_id, version, form):
    given = {"version": version, "by": current_user, "now": clock.now()}
    words = form.sentence.data
    if form.decision.data == "grant":
        appeals.grant(appeal_id, words, reason=LiftReason(form.reason.data), **given)
    else:
        appeals.refuse(appeal_id, words, **given)


def _page(appeal_id, form):
    found, evidence = queries.appeal_for_review(appeal_id)
    dossier = queries.entry_for_review(found.entry_id, clock.now())
    right = appeals.right_of(dossier.entry, current_user)
    return render_template(
        "blacklist/staff/appeal.html",
        appeal=found,
        evidence=evidence,
        dossier=dossier,
        entry=dossier.entry,
        form=form,
        right=right,
        may_decide=right in (Right.MAY, Right.SOLE),
        is_open=found.state is AppealState.OPEN,
        is_overdue=rules.is_overdue,
        new_button=lambda: ButtonForm(formdata=None),
        **shared(dossier),
    )


def _review_page(appeal_id, form, letters):
    found = queries.get_appeal(appeal_id)
    entry = queries.get_entry(found.entry_id)
    return render_template(
        "blacklist/staff/appeal_review.html",
        appeal=found,
        entry=entry,
        form=form,
        letters=letters,
        sentences=showing.sentences(entry),
    )
