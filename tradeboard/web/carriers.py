"""What old phones told about themselves: read by nobody, only counted by the day.

The networks of these headers are closed. Whoever sends one now has made it up, or uses
an old program; either way it decides nothing.
"""

import re
from collections.abc import Mapping
from typing import Any

from flask import Flask, current_app, request
from sqlalchemy.exc import SQLAlchemyError

from tradeboard.core import clock, tally
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction

# Hyphens and underscores are the same to WSGI, where a server lets both through.
HEADERS = {
    "HTTP_X_DCMGUID": "x-dcmguid",
    "HTTP_X_UP_SUBNO": "x-up-subno",
    "HTTP_X_JPHONE_UID": "x-jphone-uid",
    "HTTP_X_EM_UID": "x-em-uid",
}
IN_USER_AGENT = {
    "ser": re.compile(r"(?:^|[;/( ])ser[0-9A-Za-z]{11,15}(?![0-9A-Za-z])"),
    "icc": re.compile(r"(?:^|[;/( ])icc[0-9A-Za-z]{20}(?![0-9A-Za-z])"),
}
LONGEST_USER_AGENT = 1000


def names_in(environ: Mapping[str, Any]) -> list[str]:
    """Return which of them a request carries, each once; never what they say."""
    found = [name for key, name in HEADERS.items() if key in environ]
    agent = str(environ.get("HTTP_USER_AGENT", ""))[:LONGEST_USER_AGENT]
    return found + [
        f"user-agent-{name}"
        for name, pattern in IN_USER_AGENT.items()
        if pattern.search(agent)
    ]


def count(*names: str) -> None:
    """Count each once, in a short transaction; a page never fails for a count."""
    try:
        with transaction():
            for name in sorted(names):
                tally.count(name, now=clock.now())
    except SQLAlchemyError as error:
        db.session.rollback()
        current_app.logger.warning("not counted: %s", type(error).__name__)


def count_old_headers() -> None:
    """Count what the request carries, before anything else is asked of it."""
    if request.endpoint != "static" and (names := names_in(request.environ)):
        count(*names)


def init_app(app: Flask) -> None:
    """Look at every request."""
    app.before_request(count_old_headers)
