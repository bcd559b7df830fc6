"""What all answers for programs have in common."""

import json
from typing import Any

from flask import Blueprint, Response, abort, request

from tradeboard.web.extensions import csrf

bp = Blueprint("blacklist_api", __name__, url_prefix="/api/v1/blacklist")
csrf.exempt(bp)  # A key is sent by no browser on its own; cookies do not count here.

OPEN = frozenset({"blacklist_api.check", "blacklist_api.preflight"})


@bp.after_request
def set_headers(response: Response) -> Response:
    """Keep answers fresh and out of indexes; let any site read the open one."""
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers["X-Robots-Tag"] = "noindex"
    if request.endpoint in OPEN:
        response.headers["Access-Control-Allow-Origin"] = "*"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def only(name: str) -> str | None:
    """Return a parameter, None if it is not given; given twice it is no question."""
    given = request.args.getlist(name)
    if len(given) > 1:
        abort(400)
    return given[0] if given else None


def as_json(found: dict[str, Any]) -> Response:
    """Answer with JSON, as the framework writes it; only sooner."""
    return Response(f"{_WRITER.encode(found)}\n", mimetype="application/json")


_WRITER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
