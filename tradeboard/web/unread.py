"""Reads what was sent and nobody asked for, so that the answer is not lost.

A form that is too large, from a stranger, or without its token is answered before it
is read. If the server then hung up, the rest of it would meet a closed door, and the
answer be thrown away on the way to the browser (RFC 9112 section 9.6).
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask
from werkzeug.wsgi import ClosingIterator

PART = 64 * 1024
# Somewhat more than a form may have; whoever sends on beyond it is cut off.
MOST = 64 * 1024 * 1024
LONGEST_S, QUIET_S = 10.0, 1.0


def init_app(app: Flask) -> None:
    """Read the rest of each request once its answer has gone."""
    program = reading_on(app.wsgi_app)
    app.wsgi_app = program  # type: ignore[method-assign]  # as Flask documents it


def reading_on(inner: Callable[..., Iterable[bytes]]) -> Any:
    """Return a program that reads on behind its answers, where a server lets it."""

    def program(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        answer = inner(environ, start_response)
        line = environ.get("gunicorn.socket")
        is_empty = environ.get("CONTENT_LENGTH", "") in ("", "0")
        if line is None or (is_empty and "HTTP_TRANSFER_ENCODING" not in environ):
            return answer
        return ClosingIterator(answer, lambda: _read_on(environ["wsgi.input"], line))

    return program


def _read_on(body: Any, line: Any) -> None:
    """Read to the end, unless it is far away or nothing comes any more."""
    ends, left = time.monotonic() + LONGEST_S, MOST
    patience = line.gettimeout()
    line.settimeout(QUIET_S)
    try:
        while left > 0 and time.monotonic() < ends:
            part = body.read(PART)
            if not part:
                break
            left -= len(part)
    except Exception:  # noqa: BLE001  # Gunicorn has errors of its own; nobody listens.
        return
    finally:
        line.settimeout(patience)
