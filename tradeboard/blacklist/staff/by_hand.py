"""Listing by hand: what is typed, how it will read, then the listing."""

from flask import render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.rules.permissions import Act
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.services import hand
from tradeboard.blacklist.staff import showing
from tradeboard.blacklist.staff.blueprint import bp
from tradeboard.blacklist.staff.forms import HandForm
from tradeboard.blacklist.staff.rehearsal import letters_of
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.trades.rules.findings import Finding
from tradeboard.web import access
from tradeboard.web.acting import act


@bp.route("/entries/new", methods=["GET", "POST"])
@access.permits(Act.LIST_BY_HAND)
def by_hand():
    """List a person by hand: evidence and one factual sentence are needed."""
    form = HandForm()
    step = request.form.get("step")
    if not form.is_submitted():
        for name in ("trade", "handle", "finding"):
            form[name].data = request.args.get(name, "")
        return _form_page(form)
    if step == "edit":
        return _form_page(form)
    if not form.validate():
        return _form_page(form), 422
    try:
        if step == "list":
            return act(form.submit_id.data, lambda: _list(form))
        letters = letters_of(lambda: _list(form))
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _form_page(form), 422
    return _review_page(form, letters)


def _list(form):
    person = accounts.find_by_handle(form.handle.data)
    if person is None:
        raise RuleBroken("このハンドルの人はいません。", field="handle")
    made = hand.list_by_hand(
        person.id,
        Finding(form.finding.data),
        form.trade_id,
        form.evidence.data,
        form.sentence.data,
        by=current_user,
        now=clock.now(),
    )
    return url_for("blacklist_staff.entry", entry_id=made.id)


def _form_page(form):
    return render_template("blacklist/staff/by_hand.html", form=form)


def _review_page(form, letters):
    finding = Finding(form.finding.data)
    return render_template(
        "blacklist/staff/by_hand_review.html",
        form=form,
        letters=letters,
        person=accounts.find_by_handle(form.handle.data),
        finding=wording.FINDINGS[finding],
        sentences=showing.sentences_about(finding),
    )
