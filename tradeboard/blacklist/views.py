"""The look-up for everybody, the list for members, and what concerns oneself."""

from flask import Blueprint, render_template, request, url_for
from flask_login import current_user
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tradeboard.blacklist import queries
from tradeboard.blacklist.forms import LateDispatchForm, LateReceiptForm, StatementForm
from tradeboard.blacklist.rules import arrivals, wording
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.services import receipts, statements
from tradeboard.core import clock, paging
from tradeboard.core.errors import Conflict, RuleBroken, Unknown
from tradeboard.core.states import may
from tradeboard.trades import queries as trades
from tradeboard.trades.rules import clock as deadlines
from tradeboard.trades.rules import states
from tradeboard.trades.rules.states import TradeState
from tradeboard.trades.services import moving, overdue
from tradeboard.web import access, throttling
from tradeboard.web.access import public
from tradeboard.web.acting import act

bp = Blueprint("blacklist", __name__)

RATE = "300 per 1 minute"


@bp.after_request
def keep_out_of_indexes(response):
    """Ask search engines to leave these pages alone."""
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@bp.get("/blacklist")
@public
def look_up():
    """Answer for exactly one name or device code; a failure is its own answer."""
    asked = request.args.get("handle") or request.args.get("device") or ""
    asked = asked.strip()
    if not asked:
        return render_template("blacklist/look_up.html", asked="", answer=None)
    try:
        throttling.limit("look-up", throttling.network(), RATE)
        answer = queries.answer_for(handle=asked, now=clock.now())
    except (Unknown, DBAPIError, PoolTimeout):
        access.nobody_is_known()
        page = render_template("blacklist/unknown.html", asked=asked)
        return page, 503, {"Retry-After": "30"}
    return render_template("blacklist/look_up.html", asked=asked, answer=answer)


@bp.get("/blacklist/list")
def browse():
    """Let members read the public entries, newest first."""
    after = paging.decode(request.args.get("after"))
    found = queries.public_page(after)
    page = paging.page(found, paging.PAGE_SIZE, "listed_at")
    return render_template("blacklist/list.html", page=page)


@bp.get("/blacklist/mine")
def mine():
    """Show a person the own entries of every state."""
    entries = queries.entries_of(current_user.id)
    return render_template("blacklist/mine.html", entries=entries, wording=wording)


@bp.get("/blacklist/mine/<int:entry_id>")
def entry(entry_id):
    """Show what is kept about an entry, what of it is public, and how to answer."""
    return _entry_page(entry_id, StatementForm())


@bp.post("/blacklist/mine/<int:entry_id>/statement")
def state(entry_id):
    """Bring something forward for the moderators."""
    form = StatementForm()
    if not form.validate_on_submit():
        return _entry_page(entry_id, form), 422

    def send():
        statements.state(entry_id, form.words.data, by=current_user, now=clock.now())
        return url_for("blacklist.entry", entry_id=entry_id, _anchor="said")

    try:
        return act(form.submit_id.data, send)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _entry_page(entry_id, form), 422


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


def _entry_page(entry_id, form):
    entry = queries.get_entry_of(current_user.id, entry_id)
    return render_template(
        "blacklist/entry.html",
        entry=entry,
        public=queries.public_entry(entry.id),
        form=form,
        wording=wording,
        may_state=entry.state in rules.STANDING_STATES,
        said=[e for e in entry.evidence if e.by_id == current_user.id],
    )


def _receipt_page(leg, form):
    return render_template("blacklist/late_receipt.html", leg=leg, form=form)


def _dispatch_page(leg, form):
    return render_template("blacklist/late_dispatch.html", leg=leg, form=form)
