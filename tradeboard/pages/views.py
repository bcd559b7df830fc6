"""Pages."""

from flask import Blueprint, render_template

from tradeboard.core.languages import of_two
from tradeboard.pages import rules, texts
from tradeboard.web.access import public
from tradeboard.web.extensions import locale

bp = Blueprint("pages", __name__)


@bp.app_context_processor
def example():
    """Give the worked example to whatever shows a help text."""
    return {"clock_example": rules}


@bp.get("/help")
@public
def index():
    """Show every help page there is."""
    language = of_two(locale())
    titles = [(slug, texts.shipped_title(slug, language)) for slug in texts.SLUGS]
    return render_template("pages/index.html", titles=titles)


@bp.get("/help/<slug>")
@public
def show(slug: str):
    """Show a help page in the reader's language."""
    page = texts.get_page(slug, of_two(locale()))
    return render_template("pages/show.html", page=page, slug=slug)
