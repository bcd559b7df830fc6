"""Pages."""

from flask import Blueprint, render_template

from tradeboard.pages import queries
from tradeboard.web.access import public
from tradeboard.web.extensions import locale

bp = Blueprint("pages", __name__)


@bp.get("/help/<slug>")
@public
def show(slug: str):
    """Show a help page in the reader's language."""
    return render_template("pages/show.html", page=queries.get_page(slug, locale()))
