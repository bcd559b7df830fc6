"""When the own number was shown."""

from flask import render_template, request
from flask_login import current_user

from tradeboard.core import paging
from tradeboard.trades import queries
from tradeboard.trades.views.blueprint import bp


@bp.get("/me/reveals")
def reveals():
    """Show each time that the own number was opened, and to whom."""
    after = paging.decode(request.args.get("after"))
    page = queries.reveals_of(current_user.id, after)
    return render_template("trades/reveals.html", page=page)
