"""Buttons of one parcel: it was delivered, mine waits, a slip, it is solved."""

from flask import flash, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken, TooMany
from tradeboard.trades import queries
from tradeboard.trades.forms import ContestForm
from tradeboard.trades.services import marks, proofs, shipping
from tradeboard.trades.services.moving import require_party, require_sender
from tradeboard.trades.views import uploads
from tradeboard.trades.views.blueprint import bp
from tradeboard.trades.views.proposals import help_page
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

UNDO = {
    "dispatch": marks.undo_dispatch,
    "receipt": marks.undo_receipt,
    "mark": marks.undo_mark,
}


@bp.post("/trades/legs/<int:leg_id>/contest")
def contest(leg_id):
    """The sender says that the carrier has delivered it."""
    leg = queries.get_leg(leg_id)
    require_sender(leg, current_user)
    trade_id = leg.trade_id
    form = ContestForm()
    if not form.validate_on_submit():
        return help_page(trade_id, contest_form=form), 422
    try:
        pictures = uploads.take(form)
        return act(form.submit_id.data, lambda: _contest(leg_id, form, pictures))
    except (RuleBroken, TooMany) as refusal:
        form.refuse(refusal)
        return help_page(trade_id, contest_form=form), uploads.status(refusal)


@bp.post("/trades/legs/<int:leg_id>/withhold")
def withhold(leg_id):
    """The sender waits for the other parcel."""

    def verb():
        leg = marks.withhold(leg_id, by=current_user, now=clock.now())
        flash(_("発送を見合わせていることを記録しました。"), "ok")
        return url_for(".show", trade_id=leg.trade_id)

    return _press(leg_id, verb)


@bp.post("/trades/legs/<int:leg_id>/undo")
def undo(leg_id):
    """The author of a slip takes it back within the hour."""
    take_back = UNDO.get(request.form.get("what", ""))

    def verb():
        if take_back is None:
            raise RuleBroken("取り消すものを選んでください。")
        leg = take_back(leg_id, by=current_user, now=clock.now())
        flash(_("取り消しました。"), "ok")
        return url_for(".show", trade_id=leg.trade_id)

    return _press(leg_id, verb)


@bp.post("/trades/legs/<int:leg_id>/solve")
def solve(leg_id):
    """The recipient says that a difference is solved."""

    def verb():
        leg = shipping.solve(leg_id, by=current_user, now=clock.now())
        return url_for(".show", trade_id=leg.trade_id)

    return _press(leg_id, verb)


def _press(leg_id, verb):
    """Run a button's verb; a broken rule is told on the page of help."""
    leg = queries.get_leg(leg_id)
    require_party(leg.trade, current_user)
    trade_id = leg.trade_id
    form = ButtonForm()
    try:
        return act(form.submit_id.data, verb)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return help_page(trade_id, refused=form), 422


def _contest(leg_id, form, pictures):
    now = clock.now()
    proofs.add(leg_id, pictures, "delivery", by=current_user, now=now)
    leg = marks.contest(
        leg_id, delivered_on=form.delivered_on.data, by=current_user, now=now
    )
    flash(_("配達の申し出を記録しました。"), "ok")
    return url_for(".show", trade_id=leg.trade_id)
