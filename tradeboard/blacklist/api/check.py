"""Look up one name or device code: exact, open to everybody, throttled."""

from functools import partial

from tradeboard.api import auth
from tradeboard.blacklist import queries
from tradeboard.blacklist.api.blueprint import as_json, bp, only
from tradeboard.core import clock, prepared
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
    ask = auth.recognise().asks() if auth.is_given() else asks()
    answer = queries.answer_for(handle=handle, device=device, now=clock.now(), ask=ask)
    return as_json(queries.as_json(answer))


def asks() -> prepared.Ask:
    """Return how to ask without a key, so often from one network."""
    rate = throttling.Rate("look-up", throttling.network(), RATE)
    return partial(throttling.limit_and_ask, rate)


@bp.route("/check", methods=["OPTIONS"], provide_automatic_options=False)
@public
def preflight():
    """Tell browsers that a script of any site may ask, without a key."""
    return "", 204, {
        "Allow": "GET, HEAD, OPTIONS, POST",
        "Access-Control-Allow-Methods": "GET",
        "Access-Control-Max-Age": A_DAY,
    }  # fmt: skip
