"""What the frame of every page is given: language, theme, links, open tasks."""

from collections.abc import Callable, Hashable

from flask import Flask, current_app, g, request
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.web import cookies
from tradeboard.web.extensions import locale
from tradeboard.web.languages import translate

COUNTS = "tradeboard-counts"
THEMES = ("auto", "light", "dark")


class Links:
    """Where the parts of the frame lead; the same object as long as nothing changes."""

    def __init__(self, addresses: dict[str, str | None]):
        self.__dict__.update(addresses)


def init_app(
    app: Flask,
    links: Callable[[Flask], dict[str, str | None]],
    counts: Callable[[], tuple[int, int]],
) -> None:
    """Give templates their frame; `links` and both counts come from the features.

    The counts are those of open tasks and of unread notices.

    Links differ by where the board is mounted and between members and staff alone.
    """
    app.extensions[COUNTS] = counts
    known: dict[tuple[str, bool], Links] = {}

    def all_links():
        if not request:
            return Links(links(current_app))
        is_staff = current_user.is_authenticated and current_user.may("open the desk")
        key = request.root_path, is_staff
        if key not in known:
            known[key] = Links(links(current_app))
        return known[key]

    @app.context_processor
    def frame():
        tasks, notices = _counted()
        return {
            "lang": locale(),
            "theme": theme(),
            "now": clock.now(),
            "links": all_links(),
            "todo_count": tasks,
            "notice_count": notices,
            "is_demo": current_app.config["DEMO"],
            "site_name": current_app.config["SITE_NAME"],
        }

    app.jinja_env.filters["say"] = translate


def shown_of_reader() -> Hashable:
    """Return all that the frame and the moments of a page show of who reads it.

    The token of forms, and what is said once, are left to whoever keeps pages.
    """
    if not current_user.is_authenticated:
        return locale(), theme()
    zone = g.get("account_time_zone")
    return locale(), theme(), current_user.role, zone, *_counted()


def theme() -> str:
    """Return which look this browser wants."""
    wanted = request.cookies.get(cookies.name_of("theme")) if request else None
    return wanted if wanted in THEMES else "auto"


def _counted() -> tuple[int, int]:
    """Count once a request, and never while the database is away."""
    if g.get("outage") or not current_user.is_authenticated:
        return 0, 0
    if "counts" not in g:
        g.counts = current_app.extensions[COUNTS]()
    return g.counts
