"""Matches: who shares a signal with a barred person, and what a moderator finds."""

from flask import render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts.rules.holds import HoldDecision
from tradeboard.accounts.services import holds as services
from tradeboard.core import clock, paging
from tradeboard.core.errors import Conflict, NotAllowed, NotFound, RuleBroken
from tradeboard.listings.rules import wording
from tradeboard.moderation import queries, rules
from tradeboard.moderation.forms import HoldForm
from tradeboard.moderation.rules import Which
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.trades.rules.findings import Finding
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm
from tradeboard.web.readable import whole


@bp.get("/holds")
def holds():
    """Show matches: those that hold somebody, those that do not, or decided ones."""
    text = request.args.get("show", "")
    which = Which(text) if text in set(Which) else Which.OPEN
    found = queries.holds(which, paging.decode(request.args.get("after")))
    return render_template(
        "moderation/holds.html",
        page=paging.page(found, paging.PAGE_SIZE, "made_at"),
        which=which,
        is_urgent=rules.is_urgent,
    )


@bp.get("/holds/<int:hold_id>")
def hold(hold_id):
    """Show both people of a match beside each other, with what a decision needs."""
    found = queries.comparison(hold_id, clock.now())
    form = HoldForm(formdata=None)
    form.version.data = str(found.hold.version)
    return _page(found, form)


@bp.post("/holds/<int:hold_id>/decide")
def decide_hold(hold_id):
    """Decide about a pair; evasion leads on to listing by hand."""
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
    services.decide(
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
def mark_device(hold_id, device_id):
    """Mark a browser of the two as shared by several people, or take that back."""
    form = ButtonForm()
    found = queries.comparison(hold_id, clock.now())
    if device_id not in {shared.device.id for shared in found.devices}:
        raise NotFound("この端末は見つかりません。")
    if not _is_outsider(found.hold):
        raise NotAllowed("判断できるのは、この2人に当たらない担当者だけです。")
    if not form.validate_on_submit():
        return _page(found, HoldForm(formdata=None)), 422
    shared = request.form.get("shared") == "1"

    def happen():
        services.mark_shared(device_id, shared, by=current_user, now=clock.now())
        return url_for("desk.hold", hold_id=hold_id)

    return act(form.submit_id.data, happen)


def _page(found, form):
    return render_template(
        "moderation/hold.html",
        found=found,
        hold=found.hold,
        form=form,
        may_decide=_is_outsider(found.hold),
        is_open=_is_open(found.hold, clock.now()),
        is_urgent=rules.is_urgent,
        places=wording.PLACES,
        new_button=lambda: ButtonForm(formdata=None),
    )


def _is_open(hold, now):
    """Tell whether it awaits a decision: not after its end, though no job has run."""
    over = hold.until is not None and hold.until <= now
    return hold.decided_at is None and hold.ended_at is None and not over


def _is_outsider(hold):
    return current_user.id not in (hold.account_id, hold.other_id)
