"""The page of what awaits a member."""

from flask import Blueprint, render_template
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.core.paging import LARGEST_PAGE
from tradeboard.todo import queries
from tradeboard.todo.rules import Task
from tradeboard.trades import queries as trades
from tradeboard.web.fields import ButtonForm

bp = Blueprint("todo", __name__)


@bp.get("/todo")
def show():
    """Show what a member can do, nearest deadline first, and what is awaited."""
    now = clock.now()
    found = queries.running(current_user.id)
    tasks = queries.open_in(found, current_user.id, now)
    shown = tasks[:LARGEST_PAGE]
    waiting = queries.waiting_in(found, current_user.id, now)
    return render_template(
        "todo/show.html",
        tasks=shown,
        ended=queries.named_in(shown),
        waiting=waiting[:LARGEST_PAGE],
        most=LARGEST_PAGE,
        is_whole=max(len(tasks), len(waiting)) <= LARGEST_PAGE,
        trades={trade.id: trade for trade in found},
        is_step=lambda task: isinstance(task, Task),
        badge_of=lambda trade: trades.badge_of(trade, current_user.id, now),
        photo=lambda trade: trades.front_photo(trade, current_user),
        side=trades.side_of,
        options_for=lambda trade: trades.options_of(trade, current_user.id, now),
        button=ButtonForm(formdata=None),
    )
