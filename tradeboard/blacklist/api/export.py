"""The whole list at one moment, an entry a line."""

import json
import tempfile

from flask import Response, request

from tradeboard.api import auth
from tradeboard.api.rules import Scope
from tradeboard.blacklist import queries
from tradeboard.blacklist.api.blueprint import bp
from tradeboard.web import throttling
from tradeboard.web.access import public

RATE = "20 per 10 minutes"
CHUNK = 64 * 1024
IN_MEMORY = 1024 * 1024


@bp.get("/export.ndjson")
@public
def export():
    """Return every public entry as it stood at the change named in `X-Feed-Seq`."""
    caller = auth.require(Scope.FEED)
    throttling.limit("export", caller.key_id, RATE)
    queries.read_one_snapshot()
    seq = queries.last_seq()
    response = Response(mimetype="application/x-ndjson")
    response.headers["X-Feed-Seq"] = str(seq)
    response.headers["Cache-Control"] = "private, no-cache"
    response.set_etag(f"feed-{seq}")
    if not request.if_none_match.contains_weak(f"feed-{seq}"):
        response.response = _written()
    return response.make_conditional(request)


def _written():
    """Write the list aside, so that a slow reader holds no snapshot open."""
    file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 (closed when sent)
    for batch in queries.all_public():
        for entry in batch:
            line = json.dumps(queries.entry_as_json(entry), ensure_ascii=False)
            file.write(f"{line}\n".encode())
    file.seek(0)
    return _sent(file)


def _sent(file):
    with file:
        while chunk := file.read(CHUNK):
            yield chunk
