"""What the frame of every page is given: language, theme, links, open tasks."""

from collections.abc import Callable
from types import SimpleNamespace

from flask import Flask, current_app, g, request
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.web.extensions import locale
from tradeboard.web.languages import translate

THEMES = ("auto", "light", "dark")


def init_app(
    app: Flask,
    links: Callable[[Flask], dict[str, str | None]],
    open_tasks: Callable[[], int],
) -> None:
    """Give templates their frame; `links` and `open_tasks` come from the features."""

    @app.context_processor
    def frame():
        theme = request.cookies.get("theme") if request else None
        return {
            "lang": locale(),
            "theme": theme if theme in THEMES else "auto",
            "now": clock.now(),
            "links": SimpleNamespace(**links(current_app)),
            "todo_count": _tasks(open_tasks),
            "is_demo": current_app.config["DEMO"],
            "site_name": current_app.config["SITE_NAME"],
        }

    app.jinja_env.filters["say"] = translate


def _tasks(open_tasks: Callable[[], int]) -> int:
    """Count once a request, and never while the database is away."""
    if g.get("outage") or not current_user.is_authenticated:
        return 0
    if "open_tasks" not in g:
        g.open_tasks = open_tasks()
    return g.open_tasks
