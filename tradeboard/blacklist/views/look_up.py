"""The look-up for everybody, and the list for members."""

from functools import partial

from flask import render_template, request
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tradeboard.blacklist import queries
from tradeboard.blacklist.views.blueprint import bp
from tradeboard.core import clock, paging
from tradeboard.core.errors import Unknown
from tradeboard.web import access, throttling
from tradeboard.web.access import public

RATE = "300 per 1 minute"


@bp.get("/blacklist")
@public
def look_up():
    """Answer for exactly one name or device code; a failure is its own answer."""
    asked = request.args.get("handle") or request.args.get("device") or ""
    asked = asked.strip()
    if not asked:
        return render_template("blacklist/look_up.html", asked="", answer=None)
    try:
        rate = throttling.Rate("look-up", throttling.network(), RATE)
        ask = partial(throttling.limit_and_ask, rate)
        answer = queries.answer_for(handle=asked, now=clock.now(), ask=ask)
    except (Unknown, DBAPIError, PoolTimeout):
        access.nobody_is_known()
        page = render_template("blacklist/unknown.html", asked=asked)
        return page, 503, {"Retry-After": "30"}
    return render_template("blacklist/look_up.html", asked=asked, answer=answer)


@bp.get("/blacklist/list")
def browse():
    """Let members read the public entries, newest first."""
    after = paging.decode(request.args.get("after"))
    found = queries.public_page(after)
    page = paging.page(found, paging.PAGE_SIZE, "listed_at")
    return render_template("blacklist/list.html", page=page)
