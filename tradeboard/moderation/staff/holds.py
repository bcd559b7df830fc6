"""Matches: who shares a signal with a barred person, and what a moderator finds."""

from flask import render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts.rules.holds import HoldDecision
from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock, paging
from tradeboard.core.errors import Conflict, NotFound, RuleBroken
from tradeboard.listings.rules import wording
from tradeboard.moderation import queries, rules, services
from tradeboard.moderation.forms import HoldForm
from tradeboard.moderation.rules import Which
from tradeboard.moderation.staff import looking
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.trades.rules.findings import Finding
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm
from tradeboard.web.readable import whole


@bp.get("/holds")
@access.permits(Act.DECIDE_HOLDS)
def holds():
    """Show matches: those that hold somebody, those that do not, or decided ones."""
    text = request.args.get("show", "")
    which = Which(text) if text in set(Which) else Which.OPEN
    after = paging.decode(request.args.get("after"))
    found = queries.holds(which, after, by_id=current_user.id)
    return render_template(
        "moderation/holds.html",
        page=paging.page(found, paging.PAGE_SIZE, "made_at"),
        which=which,
        is_urgent=rules.is_urgent,
    )


@bp.get("/holds/<int:hold_id>")
@access.permits(Act.DECIDE_HOLDS)
def hold(hold_id):
    """Show both people of a match beside each other, with what a decision needs."""
    looking.at_hold(hold_id)
    found = queries.comparison(hold_id, clock.now())
    form = HoldForm(formdata=None)
    form.version.data = str(found.hold.version)
    return _page(found, form)


@bp.post("/holds/<int:hold_id>/decide")
@access.permits(Act.DECIDE_HOLDS)
def decide_hold(hold_id):
    """Decide about a pair; evasion leads on to listing by hand."""
    looking.at_hold(hold_id)
    form = HoldForm()
    if not form.validate_on_submit():
        return _page(queries.comparison(hold_id, clock.now()), form), 422
    version = whole(form.version.data)
    if version is None:
        raise Conflict("この一致は先に変わりました。もう一度ご確認ください。")
    try:
        return act(form.submit_id.data, lambda: _decide(hold_id, version, form))
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(queries.comparison(hold_id, clock.now()), form), 422


def _decide(hold_id, version, form):
    decision = HoldDecision(form.decision.data)
    services.decide_hold(
        hold_id,
        decision,
        form.sentence.data,
        version=version,
        by=current_user,
        now=clock.now(),
    )
    if decision is not HoldDecision.EVASION:
        return url_for("desk.hold", hold_id=hold_id)
    return url_for(
        "blacklist_staff.by_hand",
        handle=queries.hold_for_desk(hold_id).account.handle,
        finding=Finding.BY_HAND.value,
    )


@bp.post("/holds/<int:hold_id>/devices/<int:device_id>")
@access.permits(Act.DECIDE_HOLDS)
def mark_device(hold_id, device_id):
    """Mark a browser of the two as shared by several people, or take that back."""
    looking.at_hold(hold_id)
    form = ButtonForm()
    found = queries.comparison(hold_id, clock.now())
    if device_id not in {shared.device.id for shared in found.devices}:
        raise NotFound("この端末は見つかりません。")
    if not form.validate_on_submit():
        return _page(found, HoldForm(formdata=None)), 422
    shared = request.form.get("shared") == "1"

    def happen():
        services.mark_shared(
            hold_id, device_id, shared, by=current_user, now=clock.now()
        )
        return url_for("desk.hold", hold_id=hold_id)

    return act(form.submit_id.data, happen)


def _page(found, form):
    return render_template(
        "moderation/hold.html",
        found=found,
        hold=found.hold,
        form=form,
        may_decide=services.may_decide_hold(found.hold, current_user),
        is_open=_is_open(found.hold, clock.now()),
        is_urgent=rules.is_urgent,
        places=wording.PLACES,
        new_button=lambda: ButtonForm(formdata=None),
    )


def _is_open(hold, now):
    """Tell whether it awaits a decision: not after its end, though no job has run."""
    over = hold.until is not None and hold.until <= now
    return hold.decided_at is None and hold.ended_at is None and not over
