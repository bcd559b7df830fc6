"""The person's side of a hold: that it is there, until when, and how to answer."""

from flask import render_template, url_for
from flask_login import current_user

from tradeboard.accounts import queries
from tradeboard.accounts.forms import HoldStatementForm
from tradeboard.accounts.models import Hold
from tradeboard.accounts.services import holds
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import Conflict, Refusal, RuleBroken
from tradeboard.web.acting import act


@bp.get("/me/holds/<int:hold_id>")
def hold(hold_id: int):
    """Show a hold to the person whom it bars; never whom else it concerns."""
    found = queries.hold_of(current_user.id, hold_id)
    form = HoldStatementForm(formdata=None)
    form.statement.data = found.statement
    return _page(found, form)


@bp.post("/me/holds/<int:hold_id>")
def state_hold(hold_id: int):
    """Keep what the person says; it may be changed until somebody decides."""
    found = queries.hold_of(current_user.id, hold_id)
    form = HoldStatementForm()
    if not form.validate_on_submit():
        return _page(found, form, 422)

    def keep():
        holds.state(hold_id, form.statement.data, by=current_user, now=clock.now())
        return url_for(".hold", hold_id=hold_id, _anchor="said")

    try:
        return act(form.submit_id.data, keep)
    except (RuleBroken, Conflict) as refusal:
        return _refused(hold_id, form, refusal)


def _refused(hold_id: int, form: HoldStatementForm, refusal: Refusal):
    """Show the page as it is now, with what was typed."""
    form.refuse(refusal)
    found = queries.hold_of(current_user.id, hold_id)
    return _page(found, form, 422 if isinstance(refusal, RuleBroken) else 409)


def _page(found: Hold, form: HoldStatementForm, status: int = 200):
    now = clock.now()
    runs = holds.runs(found, now)
    page = render_template(
        "accounts/hold.html",
        hold=found,
        form=form,
        now=now,
        runs=runs,
        may_state=runs and found.decided_at is None,
    )
    return page, status
