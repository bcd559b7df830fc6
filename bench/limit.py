"""The least that could answer: bare Flask, one indexed statement, Jinja, no more.

Its rows and bytes are those of the board's own page, which the address says. Nothing
of the board is imported here.
"""

import os

from flask import Flask, jsonify, render_template, request
from sqlalchemy import column, create_engine, event, insert, select, table, text

from bench.limit_tables import plain

PAGE = """<!doctype html><html lang="ja"><title>{{ title }}</title><body>
<header>{{ layout }}</header><ul>{% for row in rows %}
<li><a href="/listings/{{ row.id }}">{{ row.search_key }}</a> {{ row.game }}
<time>{{ row.posted_at }}</time>{{ filling }}</li>{% endfor %}</ul></body></html>"""
A_ROW, AROUND = 150, 120
PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 10000")

app = Flask(__name__)
template = app.jinja_env.from_string(PAGE)
engine = create_engine(os.environ["BENCH_LIMIT_URL"])
names = ("id", "search_key", "game", "posted_at", "state")
listing = table("listing", *map(column, names))
handle = table("handle", *map(column, ("account_id", "shown", "skeleton")))
newest = (
    select(listing.c.id, listing.c.search_key, listing.c.game, listing.c.posted_at)
    .where(text("state IN ('open', 'reserved')"))
    .order_by(listing.c.posted_at.desc(), listing.c.id.desc())
)


@event.listens_for(engine, "connect")
def as_the_board(connection, _) -> None:
    """Open a file as the board does, so that a commit costs the same."""
    if engine.dialect.name == "sqlite":
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")


@app.get("/page/<int:rows>/<int:size>")
def page(rows: int, size: int):
    """Show the newest rows in as many bytes as the board's page has."""
    with engine.connect() as connection:
        found = connection.execute(newest.limit(rows)).all()
    spare = max(0, size - AROUND - A_ROW * rows)
    filling = "x" * (spare // 2 // max(1, rows))
    return render_template(
        template, title="limit", rows=found, layout="x" * (spare // 2), filling=filling
    )


@app.get("/json/<int:size>")
def as_json(size: int):
    """Look one name up, or some, and answer in as many bytes."""
    wanted = select(handle.c.account_id, handle.c.shown).where(
        handle.c.skeleton.in_(request.args.getlist("name"))
    )
    with engine.connect() as connection:
        found = connection.execute(wanted).all()
    shown = [{"id": row.account_id, "handle": row.shown} for row in found]
    filling = "x" * max(0, size - 60 - 40 * len(shown))
    return jsonify(status="none", entries=shown, filling=filling)


@app.post("/insert")
def write():
    """Add one row and commit."""
    with engine.begin() as connection:
        connection.execute(insert(plain).values(text=request.form["text"]))
    return "", 303, {"Location": "/"}
