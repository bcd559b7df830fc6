"""Look-up for machines: exact, open to everybody, throttled by address."""

from flask import Blueprint, abort, request

from tradeboard.blacklist import queries
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.web import throttling
from tradeboard.web.access import public

bp = Blueprint("blacklist_api", __name__, url_prefix="/api/v1/blacklist")

RATE = "300 per 1 minute"


@bp.get("/check")
@public
def check():
    """Answer for exactly one handle or one device code."""
    handle, device = _only("handle"), _only("device")
    if bool(handle) == bool(device):
        raise RuleBroken("handle と device のどちらか一つを指定してください。")
    throttling.limit("look-up", throttling.network(), RATE)
    answer = queries.answer_for(
        handle=handle or None, device=device or None, now=clock.now()
    )
    return queries.as_json(answer)


@bp.after_request
def open_to_all_sites(response):
    """Let any site's script read the answer; it is public, and no cookie counts."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def _only(name: str) -> str:
    """Return a parameter; one given twice is no question."""
    given = request.args.getlist(name)
    if len(given) > 1:
        abort(400)
    return given[0].strip() if given else ""
