"""The feed: what changed since a number, to keep a mirror by."""

from flask import jsonify, request

from tradeboard.api import auth
from tradeboard.api.rules import Scope
from tradeboard.blacklist import queries
from tradeboard.blacklist.api.blueprint import bp, only
from tradeboard.blacklist.models import Change
from tradeboard.core.errors import RuleBroken
from tradeboard.web.access import public
from tradeboard.web.readable import whole

DEFAULT = 100
MOST = 1000


@bp.get("/changes")
@public
def changes():
    """Return changes in the order of their numbers, and where to go on."""
    auth.require(Scope.FEED)
    since = _number("since", 0, least=0, most=None)
    limit = _number("limit", DEFAULT, least=1, most=MOST)
    found = queries.changes_since(since, limit)
    shown = found[:limit]
    response = jsonify(
        changes=[_as_json(change) for change in shown],
        # A number that was never given leads back to the newest one.
        next=shown[-1].seq if shown else min(since, queries.last_seq()),
        more=len(found) > limit,
    )
    response.headers["Cache-Control"] = "private, no-cache"
    response.add_etag()
    return response.make_conditional(request)


def _as_json(change: Change) -> dict:
    return {
        "seq": change.seq,
        "type": change.type.value,
        "at": change.at.isoformat(),
        "entry": change.body,
    }


def _number(name: str, default: int, *, least: int, most: int | None) -> int:
    given = only(name)
    number = default if given is None else whole(given)
    if number is None or number < least or (most is not None and number > most):
        raise RuleBroken("%(name)s は正しい整数ではありません。", name=name)
    return number
