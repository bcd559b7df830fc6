"""Ask the API as programs do, and compare each answer with the document."""

import json

from tests import schemas
from tradeboard.api import services
from tradeboard.blacklist.api.document import document
from tradeboard.core import clock
from tradeboard.core.transaction import transaction

CHECK = "/api/v1/blacklist/check"
CHANGES = "/api/v1/blacklist/changes"
EXPORT = "/api/v1/blacklist/export.ndjson"


def make_key(*scopes, by=None, **settings):
    """Make a key and return what its owner is shown."""
    with transaction():
        settings.setdefault("now", clock.now())
        return services.make("bot", scopes or ["bulk", "feed"], by=by, **settings)[1]


def bearer(key):
    """Return the header that carries a key."""
    return {"Authorization": f"Bearer {key}"}


def ask(app, url, key=None, *, method="GET", headers=(), **rest):
    """Ask once, and see that the document describes what came back."""
    headers = {**(bearer(key) if key else {}), **dict(headers)}
    answer = app.test_client().open(url, method=method, headers=headers, **rest)
    path = url.partition("?")[0]
    described = describe(path, method)
    if described is not None and answer.status_code != 405:
        assert wrong(answer, described) == []
    assert "Set-Cookie" not in answer.headers
    return answer


def describe(path, method):
    """Return what the document says of a request, None if it does not know it."""
    return whole()["paths"].get(path, {}).get(method.lower())


def whole():
    """Return the document."""
    return document("http://127.0.0.1:8000", "API")


def wrong(answer, described):
    """Return where an answer is not as described."""
    status = str(answer.status_code)
    if status not in described["responses"]:
        return [f"status {status} is not described"]
    reply = described["responses"][status]
    missing = [n for n in reply.get("headers", ()) if n not in answer.headers]
    found = [f"lacks the header {name}" for name in missing]
    kinds = reply.get("content", {})
    if not kinds:
        return found + (["has a body"] if answer.data else [])
    if answer.mimetype not in kinds:
        return [*found, f"{answer.mimetype} is not described"]
    shapes = whole()["components"]["schemas"]
    if answer.mimetype.endswith("ndjson"):
        for line in answer.text.splitlines():
            found += schemas.mistakes(json.loads(line), shapes["Entry"], shapes)
        return found
    shape = kinds[answer.mimetype]["schema"]
    return found + schemas.mistakes(answer.json, shape, shapes)
