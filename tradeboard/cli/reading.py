"""Look at trades and at the blacklist; never a number or an address."""

import json
from typing import Any

import click
from flask.cli import AppGroup
from sqlalchemy import select
from sqlalchemy.orm import selectinload

from tradeboard.blacklist import queries
from tradeboard.cli.speaking import as_json, in_app, instant, say
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules.states import TradeState

blacklist = AppGroup("blacklist", help="The public answers.")
trades = AppGroup("trades", help="Trades.")

WHOLE = (
    selectinload(Trade.poster),
    selectinload(Trade.proposer),
    selectinload(Trade.legs).selectinload(Leg.sender),
    selectinload(Trade.legs).selectinload(Leg.recipient),
)


@trades.command("list")
@click.option("--state", type=click.Choice([state.value for state in TradeState]))
@click.option("--limit", type=click.IntRange(1, 10_000), default=1000)
@as_json
@in_app
def list_trades(state, limit, as_json):
    """Show trades, the newest first."""
    found = select(Trade).options(*WHOLE).order_by(Trade.id.desc()).limit(limit)
    if state:
        found = found.where(Trade.state == TradeState(state))
    for trade in db.session.scalars(found):
        say(facts(trade), in_words(trade), as_json)


@trades.command("show")
@click.argument("trade_id", type=int)
@as_json
@in_app
def show_trade(trade_id, as_json):
    """Show one trade."""
    found = select(Trade).options(*WHOLE).where(Trade.id == trade_id)
    trade = db.session.scalar(found)
    if trade is None:
        raise NotFound("この取引は見つかりません。")
    say(facts(trade), json.dumps(facts(trade), ensure_ascii=False, indent=1), as_json)


def facts(trade: Trade) -> dict[str, Any]:
    """Return what an operator may know of a trade."""
    return {
        "id": trade.id,
        "state": trade.state,
        "first_dispatched_at": instant(trade.first_dispatched_at),
        "due_at": instant(trade.due_at),
        "extended": trade.extensions > 0,
        "parties": [
            {"handle": trade.poster.handle, "role": "poster"},
            {"handle": trade.proposer.handle, "role": "proposer"},
        ],
        "legs": [
            {
                "sender": leg.sender.handle,
                "recipient": leg.recipient.handle,
                "state": leg.state,
                "due_at": instant(trade.due_at),
                "tracking": leg.tracking or None,
                "contested": leg.contested_at is not None,
                "received_at": instant(leg.received_at),
            }
            for leg in trade.legs
        ],
    }


def in_words(trade: Trade) -> str:
    """Return a trade in one line."""
    pair = f"{trade.poster.handle} and {trade.proposer.handle}"
    return f"{trade.id:6} {trade.state:16} {instant(trade.due_at) or '-':33} {pair}"


@blacklist.command("check")
@click.option("--handle")
@click.option("--device", metavar="CODE")
@as_json
@in_app
def check(handle, device, as_json):
    """Ask as the public look-up does: by handle or by device code."""
    if (handle is None) == (device is None):
        raise click.UsageError("Give either --handle or --device.")
    answer = queries.answer_for(handle=handle, device=device, now=clock.now())
    words = f"{answer.status} ({len(answer.entries)} entries)"
    say(queries.as_json(answer), words, as_json)
