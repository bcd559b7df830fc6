"""Keep a form that was sent too early: it waits on the page that asks for something."""

import json

from flask import current_app, render_template, request
from werkzeug.exceptions import HTTPException

from tradeboard.web.error_pages import NOT_TYPED


def this_form() -> str:
    """Return what was sent, without secrets, to be carried in a hidden field."""
    carried = {"action": request.full_path.rstrip("?"), "fields": _typed()}
    return json.dumps(carried, ensure_ascii=False)


def _typed() -> list[tuple[str, str]]:
    return [
        (name, value)
        for name, value in request.form.items(multi=True)
        if name not in NOT_TYPED
    ]


def read(text: str | None) -> tuple[str, list[tuple[str, str]]] | None:
    """Return where a carried form was going and its fields, or None."""
    try:
        carried = json.loads(text or "")
        action = carried["action"]
        fields = [(str(name), str(value)) for name, value in carried["fields"]]
        # A lone surrogate is read from JSON, but can be written to no page.
        json.dumps(fields, ensure_ascii=False).encode()
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return (action, fields) if _takes_posts(action) else None


def show_again(carried: tuple[str, list[tuple[str, str]]]) -> str:
    """Show a carried form with all that was typed; the person sends it again."""
    action, fields = carried
    return render_template("resubmit.html", action=action, fields=fields)


def _takes_posts(action) -> bool:
    """Tell whether a path of this board would take the form."""
    if not isinstance(action, str) or not action.startswith("/"):
        return False
    path = action.partition("?")[0]
    if "//" in path or "\\" in action or not action.isprintable():
        return False
    try:
        current_app.url_map.bind("").match(path, method="POST")
    except HTTPException:
        return False
    return True
