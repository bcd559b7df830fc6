"""The one blueprint of the blacklist's pages, and what all of them answer with."""

from flask import Blueprint, request

from tradeboard.blacklist import queries

bp = Blueprint("blacklist", __name__)

# Whoever knows these addresses may open them: they must reach nobody else.
SECRET = frozenset({"blacklist.by_link", "blacklist.picture_by_link"})


@bp.record_once
def give_to_templates(state):
    """Let pages of others tell of appeals and questions, which they know nothing of."""
    state.app.jinja_env.globals.update(
        is_under_appeal=queries.is_under_appeal, open_question=queries.open_question
    )


@bp.after_request
def keep_out_of_indexes(response):
    """Ask search engines to leave these pages alone; keep mailed addresses secret."""
    response.headers["X-Robots-Tag"] = "noindex"
    if request.endpoint in SECRET:
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers.setdefault("Cache-Control", "no-store")
    return response
