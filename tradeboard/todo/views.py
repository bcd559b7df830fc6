"""The page of what awaits a member."""

from flask import Blueprint, render_template
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.todo import queries
from tradeboard.trades import queries as trades

bp = Blueprint("todo", __name__)


@bp.get("/todo")
def show():
    """Show what a member can do, nearest deadline first, and what is awaited."""
    now = clock.now()
    found = queries.running(current_user.id)
    return render_template(
        "todo/show.html",
        tasks=queries.tasks_in(found, current_user.id, now),
        waiting=queries.waiting_in(found, current_user.id, now),
        trades={trade.id: trade for trade in found},
        badge_of=lambda trade: trades.badge_of(trade, current_user.id, now),
        photo=lambda trade: trades.front_photo(trade, current_user),
        side=trades.side_of,
        options_for=lambda trade: trades.options_of(trade, current_user.id, now),
    )
