"""One entry with both sides beside each other, and the decision about it."""

from datetime import datetime

from flask import current_app, render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.blacklist import queries
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.rules.entries import LiftReason, UpholdReason
from tradeboard.blacklist.services import claims, review
from tradeboard.blacklist.staff import opened, showing
from tradeboard.blacklist.staff.blueprint import bp
from tradeboard.blacklist.staff.forms import CarrierPageForm, DecisionForm
from tradeboard.blacklist.staff.rehearsal import letters_of
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.terms.texts import in_line
from tradeboard.trades.rules import carriers
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

ZOOMS = (1, 2, 3)


@bp.get("/entries/<int:entry_id>")
@access.permits(Act.DECIDE_ENTRIES)
def entry(entry_id):
    """Show both sides of an entry beside each other."""
    dossier = queries.entry_for_review(entry_id, clock.now())
    return entry_page(dossier, fresh_form(dossier.entry))


def fresh_form(entry):
    """Return the form of a decision about an entry as it is now."""
    form = DecisionForm(entry, fresh=True, formdata=None)
    form.version.data = str(entry.version)
    form.opened.data = request.args.get("opened", "")
    return form


@bp.get("/entries/<int:entry_id>/photos")
@access.permits(Act.DECIDE_ENTRIES)
def photos(entry_id):
    """Show the photos of both sides beside each other, all at the same size."""
    dossier = queries.entry_for_review(entry_id, clock.now())
    zoom = request.args.get("zoom", "")
    return render_template(
        "blacklist/staff/photos.html",
        dossier=dossier,
        entry=dossier.entry,
        zoom=int(zoom) if zoom in map(str, ZOOMS) else 1,
        zooms=ZOOMS,
        wording=wording,
    )


@bp.post("/entries/<int:entry_id>/decide")
@access.permits(Act.DECIDE_ENTRIES)
def decide(entry_id):
    """Show a decision with its mail, then, pressed again, let it happen."""
    dossier = queries.entry_for_review(entry_id, clock.now())
    form = DecisionForm(dossier.entry)
    version = showing.version_of(form.version.data)
    review.require_outsider(dossier.entry, current_user)
    step = request.form.get("step")
    if step == "edit":
        return entry_page(dossier, form)
    if step != "decide":
        review.check_version(dossier.entry, version)
    if not form.validate_on_submit() or not has_opened(dossier, form):
        return entry_page(dossier, form), 422

    def happen():
        _decide(entry_id, version, form)
        return url_for("blacklist_staff.entry", entry_id=entry_id)

    try:
        if step == "decide":
            return act(form.submit_id.data, happen)
        return _review_page(entry_id, form, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return entry_page(queries.entry_for_review(entry_id, clock.now()), form), 422


def _decide(entry_id, version, form):
    code, words = form.reason.data, form.sentence.data
    given = {"by": current_user, "now": clock.now()}
    if form.decision.data == "uphold":
        review.uphold(entry_id, version, UpholdReason(code), words, **given)
    else:
        reason = LiftReason(code)
        review.lift_by_moderator(entry_id, version, reason, words, **given)


def has_opened(dossier, form):
    """Tell whether the linked entry, if there is one, was opened first."""
    linked = dossier.linked
    if linked is None:
        return True
    return opened.has_opened(form.opened.data, linked, dossier.entry)


def _review_page(entry_id, form, happen):
    letters = letters_of(happen)
    with transaction():
        claims.touch(entry_id, by=current_user, now=clock.now())
    entry = queries.get_entry(entry_id)
    return render_template(
        "blacklist/staff/review.html",
        entry=entry,
        form=form,
        letters=letters,
        reason=wording.reason_in_words(form.reason.data),
        sentences=showing.sentences_about(entry.finding, entry.listed_at),
    )


def entry_page(dossier, form, carrier_form=None):
    """Render the page of an entry; a refused carrier form keeps what was typed."""
    found = dossier.entry
    linked = dossier.linked
    is_open = found.state in rules.STANDING_STATES
    return render_template(
        "blacklist/staff/entry.html",
        dossier=dossier,
        entry=found,
        form=form,
        carrier_form=carrier_form,
        new_carrier_form=lambda leg_id: CarrierPageForm(leg_id, formdata=None),
        new_button=lambda: ButtonForm(formdata=None),
        mark=opened.mark(found, linked) if linked is not None else None,
        has_opened=has_opened(dossier, form),
        may_decide=showing.may_decide(found, current_user),
        is_open=is_open,
        waiting=queries.count_waiting(clock.now(), current_user.id),
        **shared(dossier),
    )


def shared(dossier):
    """Return what every page with both sides of an entry shows."""
    return {
        "clauses": showing.rule_text(dossier.terms),
        "in_line": in_line,
        "sentences": showing.sentences(dossier.entry),
        "upheld_sentences": showing.upheld_sentences(dossier.entry),
        "wording": wording,
        "instant": datetime.fromisoformat,
        "carriers": carriers,
        "tracking_pages": current_app.config.get("TRACKING_PAGES"),
    }
