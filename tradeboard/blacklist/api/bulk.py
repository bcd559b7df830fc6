"""Look up many names and device codes at once, with a key."""

import json
from typing import Any

from flask import abort, request
from werkzeug.exceptions import HTTPException

from tradeboard.api import auth
from tradeboard.api.rules import Scope
from tradeboard.blacklist import queries
from tradeboard.blacklist.api.blueprint import as_json, bp
from tradeboard.blacklist.queries import Question
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.web.access import public

MOST = 100
LARGEST = 256 * 1024
LISTS = ("handles", "devices")


@bp.post("/check", provide_automatic_options=False)
@public
def bulk():
    """Answer for up to a hundred in all, names first, each in the order given."""
    caller = auth.recognise(Scope.BULK)
    try:
        handles, devices = _lists(_body())
    except (RuleBroken, HTTPException):
        caller.spend()
        raise
    asked = [Question(handle=text) for text in handles]
    asked += [Question(device=text) for text in devices]
    now, ask = clock.now(), caller.asks(max(1, len(asked)))
    answers = queries.answers_for(asked, now=now, ask=ask)
    return as_json(
        {
            "answers": [
                _about(question) | _found(answer)
                for question, answer in zip(asked, answers, strict=True)
            ],
            "as_of": now.isoformat(),
        }
    )


def _about(question: Question) -> dict[str, Any]:
    if question.handle is not None:
        return {"handle": question.handle}
    return {"device": question.device}


def _found(answer: queries.Answer) -> dict[str, Any]:
    entries = [queries.entry_as_json(entry) for entry in answer.entries]
    return {"status": answer.status, "entries": entries}


def _body() -> Any:
    """Return what was sent; only JSON can be read, and little of it."""
    if not request.is_json:
        abort(415)
    if (request.content_length or 0) > LARGEST:
        abort(413)
    try:
        return json.loads(request.get_data(cache=False))
    except (ValueError, RecursionError):
        abort(400)


def _lists(body: Any) -> tuple[list[str], list[str]]:
    """Return names and codes, or refuse whatever else was sent."""
    if not isinstance(body, dict) or set(body) - set(LISTS):
        raise RuleBroken(
            "handles と devices だけを、JSON オブジェクトで送ってください。"
        )
    handles, devices = (body.get(name, []) for name in LISTS)
    for given in (handles, devices):
        if not isinstance(given, list) or not all(isinstance(t, str) for t in given):
            raise RuleBroken("handles と devices は、文字列の配列で送ってください。")
    # What is asked twice counts once; each list is as long as it may be, at most.
    different = len(set(handles)) + len(set(devices))
    if max(len(handles), len(devices), different) > MOST:
        raise RuleBroken("1回に照会できるのは、合わせて%(n)s件までです。", n=MOST)
    return handles, devices
