"""Pages of parcels: what to send where, and what has come."""

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user
from sqlalchemy.orm.exc import StaleDataError

from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken, TooMany
from tradeboard.trades import queries
from tradeboard.trades.forms import DispatchForm, ReceiptForm
from tradeboard.trades.rules import carriers
from tradeboard.trades.rules.clock import latest_sensible_dispatch
from tradeboard.trades.rules.states import (
    ADDRESS_IS_SHOWN,
    Condition,
    LegState,
    TradeState,
)
from tradeboard.trades.services import contacts, proofs, shipping
from tradeboard.trades.services.moving import require_recipient, require_sender
from tradeboard.trades.views import uploads
from tradeboard.trades.views.blueprint import bp
from tradeboard.trades.views.room import new_dispatch, seen
from tradeboard.web import error_pages
from tradeboard.web.access import know_sender, sent_by_number
from tradeboard.web.acting import act


@bp.get("/trades/<int:trade_id>/dispatch")
def dispatch_page(trade_id):
    """Show the sender where the parcel goes, and ask how it travels."""
    trade = queries.load_room(current_user.id, trade_id)
    if trade.state not in ADDRESS_IS_SHOWN:
        return redirect(url_for(".show", trade_id=trade_id), 303)
    return _dispatch_page(trade_id, new_dispatch())


@bp.post("/trades/legs/<int:leg_id>/dispatch")
@sent_by_number
def dispatch(leg_id):
    """The sender says that it is on its way."""
    form = DispatchForm()
    is_whole = form.validate_on_submit()
    # Whose parcel it is, is asked when it is sent; before a photo is kept, at once.
    if request.files or not is_whole:
        trade_id = _trade_sent_in(leg_id)
        if not is_whole:
            return _dispatch_page(trade_id, form), 422
    try:
        pictures = uploads.take(form)
        shipping.read_tracking(form.carrier.data, form.tracking.data)
        doubt = _doubt(form)
        if doubt and request.form.get("sure") != "yes":
            return _dispatch_page(_trade_sent_in(leg_id), form, doubt=doubt)
        return act(form.submit_id.data, lambda: _dispatch(leg_id, form, pictures))
    except (RuleBroken, TooMany) as refusal:
        form.refuse(refusal)
        page = _dispatch_page(_trade_sent_in(leg_id), form)
        return page, uploads.status(refusal)


@bp.get("/trades/<int:trade_id>/receive")
def receive(trade_id):
    """Ask the recipient when it came, and how it was found."""
    trade = queries.load_room(current_user.id, trade_id)
    back = _back(trade)
    if back is None or back.state is not LegState.DISPATCHED:
        return redirect(url_for(".show", trade_id=trade_id), 303)
    known: dict[str, object] = {"arrived_on": queries.day_in_japan(clock.now())}
    if request.args.get("condition") == Condition.DIFFERS:
        known["condition"] = str(Condition.DIFFERS)
    form = ReceiptForm(formdata=None, data=known)
    return _receive_page(trade_id, form)


@bp.post("/trades/legs/<int:leg_id>/receipt")
def receipt(leg_id):
    """The recipient says that it has come."""
    leg = queries.get_leg(leg_id)
    require_recipient(leg, current_user)
    trade_id = leg.trade_id
    form = ReceiptForm()
    if not form.validate_on_submit():
        return _receive_page(trade_id, form), 422
    try:
        pictures = uploads.take(form)
        return act(form.submit_id.data, lambda: _receive(leg_id, form, pictures))
    except (RuleBroken, TooMany) as refusal:
        form.refuse(refusal)
        return _receive_page(trade_id, form), uploads.status(refusal)
    except (Conflict, StaleDataError):
        if not _is_late(leg_id):
            raise
        return _show_late_form(leg_id)


def _dispatch(leg_id, form, pictures):
    now = clock.now()
    trade_id = shipping.dispatch(
        leg_id,
        carrier=form.carrier.data,
        tracking=form.tracking.data,
        by=current_user,
        now=now,
    )
    proofs.add(leg_id, pictures, "dispatch", by=current_user, now=now)
    flash(_("発送を記録しました。1時間以内なら取り消せます。"), "ok")
    return url_for(".show", trade_id=trade_id)


def _receive(leg_id, form, pictures):
    now = clock.now()
    leg = shipping.confirm_receipt(
        leg_id,
        arrived_on=form.arrived_on.data,
        condition=Condition(form.condition.data),
        words=form.words.data,
        by=current_user,
        now=now,
    )
    proofs.add(leg_id, pictures, "receipt", by=current_user, now=now)
    flash(_("受け取りを記録しました。"), "ok")
    return url_for(".show", trade_id=leg.trade_id)


def _trade_sent_in(leg_id) -> int:
    """Return the trade of a parcel, to its sender alone."""
    know_sender()
    leg = queries.get_leg(leg_id)
    require_sender(leg, current_user)
    return leg.trade_id


def _is_late(leg_id) -> bool:
    """Tell whether a parcel may still be recorded, but no longer as in time."""
    db.session.rollback()
    leg = queries.get_leg(leg_id)
    return leg.received_at is None and leg.trade.state is TradeState.DEFAULTED


def _show_late_form(leg_id):
    """Tell who was slower than the due instant where a late arrival is recorded."""
    return error_pages.respond(
        _("期限を過ぎました。届いたことは、期限後の確認の画面で記録できます。"),
        409,
        way_out=(
            url_for("blacklist.confirm_late", leg_id=leg_id),
            _("期限後の受け取りを記録する"),
        ),
    )


def _doubt(form) -> str | None:
    """Say what is better asked again before it is recorded."""
    if form.carrier.data == shipping.NO_TRACKING:
        return "untracked"
    if carriers.check(form.carrier.data, form.tracking.data) is False:
        return "check_digit"
    return None


def _dispatch_page(trade_id, form, doubt=None):
    know_sender()
    now = clock.now()
    trade = queries.load_room(current_user.id, trade_id)
    latest = latest_sensible_dispatch(trade.due_at) if trade.due_at else None
    return render_template(
        "trades/dispatch.html",
        **seen(trade, now),
        form=form,
        doubt=doubt,
        kept=uploads.kept(form),
        contact=contacts.partner_contact(trade, current_user, now=now),
        latest=latest,
    )


def _receive_page(trade_id, form):
    trade = queries.load_room(current_user.id, trade_id)
    return render_template(
        "trades/receive.html",
        **seen(trade, clock.now()),
        form=form,
        leg=_back(trade),
        kept=uploads.kept(form),
    )


def _back(trade):
    return next((leg for leg in trade.legs if leg.sender_id != current_user.id), None)
