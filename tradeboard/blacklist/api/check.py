"""Look up one name or device code: exact, open to everybody, throttled."""

from tradeboard.api import auth
from tradeboard.blacklist import queries
from tradeboard.blacklist.api.blueprint import bp, only
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.web import throttling
from tradeboard.web.access import public

RATE = "300 per 1 minute"
A_DAY = "86400"


@bp.get("/check", provide_automatic_options=False)
@public
def check():
    """Answer for exactly one handle or one device code."""
    handle, device = only("handle"), only("device")
    if (handle is None) == (device is None) or "" in (handle, device):
        raise RuleBroken("handle と device のどちらか一つを指定してください。")
    if auth.is_given():
        auth.require()
    else:
        throttling.limit("look-up", throttling.network(), RATE)
    answer = queries.answer_for(handle=handle, device=device, now=clock.now())
    return queries.as_json(answer)


@bp.route("/check", methods=["OPTIONS"], provide_automatic_options=False)
@public
def preflight():
    """Tell browsers that a script of any site may ask, without a key."""
    return "", 204, {
        "Allow": "GET, HEAD, OPTIONS, POST",
        "Access-Control-Allow-Methods": "GET",
        "Access-Control-Max-Age": A_DAY,
    }  # fmt: skip
