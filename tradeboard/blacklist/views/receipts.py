"""What came, or left, after the due instant: its recipient or sender says so."""

from flask import render_template, request, url_for
from flask_login import current_user

from tradeboard.blacklist.forms import LateDispatchForm, LateReceiptForm
from tradeboard.blacklist.rules import arrivals
from tradeboard.blacklist.services import receipts
from tradeboard.blacklist.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.states import may
from tradeboard.trades import queries as trades
from tradeboard.trades.rules import clock as deadlines
from tradeboard.trades.rules import states
from tradeboard.trades.rules.states import TradeState
from tradeboard.trades.services import moving, overdue
from tradeboard.web.acting import act


@bp.route("/trades/legs/<int:leg_id>/late-receipt", methods=["GET", "POST"])
def confirm_late(leg_id):
    """Let the recipient say, after the due instant, that it came."""
    leg = _late_leg(leg_id, "receive")
    form = LateReceiptForm()
    if not form.is_submitted():
        return _receipt_page(leg, form)
    if not form.validate():
        return _receipt_page(leg, form), 422

    def confirm():
        now = clock.now()
        leg = trades.get_leg(leg_id)
        if leg.trade.due_at is None:
            raise Conflict("この取引は期限を過ぎていません。")
        arrived_at = arrivals.arrival(
            arrivals.read_day(form.arrived_at.data),
            arrivals.read_time(form.arrived_time.data or ""),
            due_at=leg.trade.due_at,
            now=now,
        )
        receipts.confirm_late(leg_id, arrived_at=arrived_at, by=current_user, now=now)
        return url_for("trades.show", trade_id=leg.trade_id)

    try:
        return act(form.submit_id.data, confirm)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _receipt_page(_late_leg(leg_id, "receive"), form), 422


@bp.route("/trades/legs/<int:leg_id>/late-dispatch", methods=["GET", "POST"])
def dispatch_late(leg_id):
    """Let a sender send after the default."""
    leg = _late_leg(leg_id, "dispatch")
    form = LateDispatchForm()
    if not form.is_submitted():
        return _dispatch_page(leg, form)
    if not form.validate():
        return _dispatch_page(leg, form), 422

    def send():
        leg = overdue.dispatch_late(
            leg_id,
            carrier=form.carrier.data,
            tracking=form.tracking.data or "",
            by=current_user,
            now=clock.now(),
        )
        return url_for("trades.show", trade_id=leg.trade_id)

    try:
        return act(form.submit_id.data, send)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _dispatch_page(_late_leg(leg_id, "dispatch"), form), 422


def _late_leg(leg_id, event):
    """Return a parcel to the one of the two who may act on it after the due instant."""
    leg = trades.get_leg(leg_id)
    if event == "receive":
        moving.require_recipient(leg, current_user)
    else:
        moving.require_sender(leg, current_user)
    _require_late(leg.trade)
    if request.method == "GET":
        _require_open(leg, event)
    return leg


def _require_open(leg, event):
    """Offer no form for what has been done; a form sent twice leads to its page."""
    if leg.received_at is not None:
        raise Conflict("この荷物の受け取りは、もう記録されています。")
    if event == "dispatch" and not may(states.LEG, leg.state, event):
        raise Conflict("この荷物は、もう発送されています。")


def _require_late(trade):
    if trade.state is TradeState.DEFAULTED:
        return
    due = trade.state is TradeState.SHIPPED and deadlines.is_over(
        trade.due_at, clock.now()
    )
    if not due:
        raise Conflict(
            "この取引は期限を過ぎていません。取引の画面から操作してください。"
        )


def _receipt_page(leg, form):
    return render_template("blacklist/late_receipt.html", leg=leg, form=form)


def _dispatch_page(leg, form):
    return render_template("blacklist/late_dispatch.html", leg=leg, form=form)
