"""What the two take home of a trade: its deadlines, and its record on paper."""

from urllib.parse import urlsplit

from flask import current_app, make_response, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.core.errors import Conflict
from tradeboard.trades import queries
from tradeboard.trades.rules import calendar as files
from tradeboard.trades.rules.clock import latest_sensible_dispatch
from tradeboard.trades.rules.states import RUNNING, LegState
from tradeboard.trades.views.blueprint import bp
from tradeboard.trades.views.room import seen


@bp.get("/trades/<int:trade_id>/calendar.ics")
def calendar(trade_id):
    """Send the deadlines of a running trade; no number, no address, no card."""
    trade = queries.load_room(current_user.id, trade_id)
    if trade.state not in RUNNING:
        raise Conflict("この取引は終わったので、期限はありません。")
    public = current_app.config["PUBLIC_URL"]
    page = public + url_for(".show", trade_id=trade_id)
    entries = [
        files.Entry(f"trade-{trade_id}-{key}", at, words, _rule(), page)
        for key, at, words in _deadlines(trade)
    ]
    host = urlsplit(public).hostname or "localhost"
    text = files.render(entries, version=trade.version, host=host, now=clock.now())
    answer = make_response(text)
    answer.headers["Content-Type"] = "text/calendar; charset=utf-8"
    answer.headers["Content-Disposition"] = (
        f'attachment; filename="trade-{trade_id}.ics"'
    )
    return answer


@bp.get("/trades/<int:trade_id>/record")
def record(trade_id):
    """Show the record of a trade on one sheet, for paper."""
    now = clock.now()
    trade = queries.load_room(current_user.id, trade_id)
    return render_template("trades/record.html", **seen(trade, now), printed_at=now)


def _deadlines(trade):
    """Yield key, instant and words of each deadline that runs."""
    n = trade.id
    if trade.answer_by:
        yield "answer", trade.answer_by, _("取引 %(n)s：返事の期限", n=n)
    if trade.call_by:
        yield "call", trade.call_by, _("取引 %(n)s：電話での本人確認の期限", n=n)
    if trade.dispatch_by:
        words = _("取引 %(n)s：最初の発送の期限", n=n)
        yield "dispatch", trade.dispatch_by, words
    if not trade.due_at:
        return
    if trade.leg_from(current_user.id).state is LegState.NOT_SENT:
        words = _("取引 %(n)s：この日までに発送すると間に合う見込みです", n=n)
        yield "latest", latest_sensible_dispatch(trade.due_at), words
    yield "due", trade.due_at, _("取引 %(n)s：受け取りの確認の期限", n=n)


def _rule() -> str:
    return _(
        "この時刻より前に済ませます。時刻ちょうどは期限後です。"
        "期限は延びることがあるので、取引の画面で確かめてください。"
    )
