"""The desk's pages of trades: what waits for a moderator, and the facts of one."""

from flask import Blueprint, flash, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import looking
from tradeboard.core import clock
from tradeboard.core.errors import NotAllowed
from tradeboard.core.transaction import transaction
from tradeboard.trades import queries
from tradeboard.trades.rules import carriers
from tradeboard.trades.services import phone, shipping
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

bp = Blueprint("trades_staff", __name__, url_prefix="/desk/trades")
bp.before_request(access.require_staff)


@bp.get("")
@access.permits(Act.HELP_TRADES)
def queue():
    """Show the calls that stopped and the parcels that differ, oldest first."""
    return render_template(
        "trades/desk_queue.html",
        calls=queries.closed_calls(),
        differing=queries.differing_trades(),
    )


@bp.get("/<int:trade_id>")
@access.permits(Act.HELP_TRADES)
def show(trade_id):
    """Show the facts of a trade: no number, no address, no words."""
    _begin(trade_id)
    trade = queries.load_for_staff(trade_id)
    return render_template(
        "trades/desk_trade.html",
        trade=trade,
        cards=queries.given,
        carrier_name=_carrier_name,
        pretty=carriers.pretty,
        may_help=queries.may_judge(current_user, (trade.poster_id, trade.proposer_id)),
        messages=queries.messages_of(trade_id),
    )


@bp.post("/<int:trade_id>/round")
@access.permits(Act.HELP_TRADES)
def open_round(trade_id):
    """Open one more round of words for a call that stopped."""

    def verb():
        phone.open_round(trade_id, by=current_user, now=clock.now())
        flash(_("電話の確認を再開しました。"), "ok")
        return url_for(".show", trade_id=trade_id)

    return act(ButtonForm().submit_id.data, verb)


@bp.post("/legs/<int:leg_id>/solve")
@access.permits(Act.HELP_TRADES)
def solve(leg_id):
    """Close a difference that the two could not."""

    def verb():
        leg = shipping.solve(leg_id, by=current_user, now=clock.now())
        flash(_("内容の違いを解決済みにしました。"), "ok")
        return url_for(".show", trade_id=leg.trade_id)

    return act(ButtonForm().submit_id.data, verb)


def _begin(trade_id):
    """Keep the two out of their own trade's page, and record who looks at it."""
    with transaction():
        trade = queries.get_trade(trade_id)
        two = (trade.poster_id, trade.proposer_id)
        if current_user.id in two:
            raise NotAllowed(
                "あなたはこの取引の当事者なので、判断できません。"
                "ほかの担当者に任せてください。"
            )
        now = clock.now()
        looking.look(two, f"trade:{trade_id}", by=current_user, now=now)


def _carrier_name(leg):
    carrier = carriers.find_carrier(leg.carrier)
    return carrier.name if carrier else ""
