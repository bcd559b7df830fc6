"""Asking one of the two, and noting what a carrier's page says."""

from flask import render_template, request
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.blacklist import queries
from tradeboard.blacklist.rules import desk as rules
from tradeboard.blacklist.services import asking, claims, review
from tradeboard.blacklist.staff import opened
from tradeboard.blacklist.staff.blueprint import bp
from tradeboard.blacklist.staff.entry import entry_page, fresh_form
from tradeboard.blacklist.staff.forms import AskForm, CarrierPageForm
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.readable import whole


@bp.route("/entries/<int:entry_id>/ask", methods=["GET", "POST"])
@access.permits(Act.DECIDE_ENTRIES)
def ask(entry_id):
    """Ask one of the two to bring something forward."""
    now = clock.now()
    dossier = queries.entry_for_review(entry_id, now)
    review.require_outsider(dossier.entry, current_user)
    form = AskForm(dossier.people)
    if not form.is_submitted():
        form.to.data = request.args.get("to", "")
        form.due_on.data = rules.default_day(now).isoformat()
        return _ask_page(dossier, form)
    if not form.validate():
        return _ask_page(dossier, form), 422

    def happen():
        asking.ask(
            entry_id,
            whole(form.to.data) or 0,
            form.words.data,
            by=current_user,
            now=now,
            due_on=form.day,
        )
        claims.touch(entry_id, by=current_user, now=now)
        return opened.back_to(entry_id, "asked")

    try:
        return act(form.submit_id.data, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _ask_page(queries.entry_for_review(entry_id, now), form), 422


def _ask_page(dossier, form):
    return render_template(
        "blacklist/staff/ask.html", dossier=dossier, entry=dossier.entry, form=form
    )


@bp.post("/entries/<int:entry_id>/parcels/<int:leg_id>/carrier-page")
@access.permits(Act.DECIDE_ENTRIES)
def carrier_page(entry_id, leg_id):
    """Keep what the carrier's page said of a parcel when a moderator looked."""
    form = CarrierPageForm(leg_id)

    def again():
        dossier = queries.entry_for_review(entry_id, clock.now())
        return entry_page(dossier, fresh_form(dossier.entry), form), 422

    def happen():
        now, words = clock.now(), form.words.data
        asking.note_carrier_page(entry_id, leg_id, words, by=current_user, now=now)
        claims.touch(entry_id, by=current_user, now=now)
        return opened.back_to(entry_id)

    if not form.validate_on_submit():
        return again()
    try:
        return act(form.submit_id.data, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return again()
