"""The board as it is served, with a count of statements where it is asked for."""

import os

from wsgi import app

COUNTED = "X-Statements"
NOT_COUNTED = ("PRAGMA", "BEGIN", "SET ", "SAVEPOINT", "RELEASE")

if os.environ.get("BENCH_COUNT"):
    from sqlalchemy import Engine, event

    seen = [0]

    @event.listens_for(Engine, "before_cursor_execute")
    def count(_connection, _cursor, statement, *_) -> None:
        """Count a statement that asks the database for rows, or changes some."""
        seen[0] += not statement.startswith(NOT_COUNTED)

    inner = app.wsgi_app

    def counting(environ, start_response):
        """Say in a header how many statements an answer took."""
        seen[0] = 0

        def start(status, headers, *rest):
            return start_response(status, [*headers, (COUNTED, str(seen[0]))], *rest)

        return inner(environ, start)

    app.wsgi_app = counting  # type: ignore[method-assign]  # as Flask documents it

__all__ = ["app"]
