"""Signals of spam: what is alike, and what a moderator can do about it."""

from flask import flash, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock
from tradeboard.listings.rules import holding
from tradeboard.moderation import queries, services
from tradeboard.moderation.forms import SignalForm
from tradeboard.moderation.rules import spam as rules
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm


@bp.get("/signals")
@access.permits(Act.SEE_SIGNALS)
def signals():
    """Show what is alike and nobody has put away."""
    return _page()


@bp.post("/signals")
@access.permits(Act.SEE_SIGNALS)
def see_signal():
    """Put one away."""
    form = SignalForm()
    if not form.validate_on_submit():
        return _page(), 422

    def happen():
        services.see_signal(form.key.data or "", by=current_user, now=clock.now())
        return url_for("desk.signals")

    answer = act(form.submit_id.data, happen)
    flash(_("見たことにしました。数が増えると、また出ます。"), "ok")
    return answer


def _page():
    found = queries.signals(clock.now())
    people = {person for signal in found for person in signal.account_ids}
    listings = {number for signal in found for number in signal.listing_ids}
    return render_template(
        "moderation/signals.html",
        signals=found,
        handles=queries.handles(people),
        titles=queries.titles(listings),
        rules=rules,
        why_held=holding.WHY,
        new_button=lambda: ButtonForm(formdata=None),
        new_form=lambda signal: SignalForm(formdata=None, key=signal.key),
    )
