"""Who may open a page: members only, unless the page says @public."""

from urllib.parse import urlsplit

from flask import Flask, abort, current_app, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSessionInterface
from flask_login import LoginManager, current_user
from werkzeug.exceptions import HTTPException

from tradeboard.core.db import db
from tradeboard.web.readable import FOR_PROGRAMS

login_manager = LoginManager()
login_manager.session_protection = None

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

SESSION_KEY = "_user_id"

WITHOUT_SECOND_FACTOR = frozenset(
    {
        "accounts.logout",
        "accounts.preferences",
        "accounts.second_factor",
        "accounts.second_factor_set_up",
        "health.scheduler",
        "health.web",
    }
)


def public(view):
    """Open a page to everybody."""
    view.is_public = True
    return view


def is_public(app: Flask, endpoint: str) -> bool:
    """Tell whether anybody may open it."""
    return endpoint == "static" or hasattr(app.view_functions[endpoint], "is_public")


def is_for_programs() -> bool:
    """Tell whether this is the API, where no cookie counts and nobody is signed in."""
    return request.path.startswith(FOR_PROGRAMS)


class BrowserSessions(SecureCookieSessionInterface):
    """Keeps sessions in a cookie, and neither reads nor sets one for programs."""

    def open_session(self, app, request):
        """Return what the cookie says; to programs nothing."""
        if request.path.startswith(FOR_PROGRAMS):
            return self.session_class()
        return super().open_session(app, request)

    def save_session(self, app, session, response):
        """Set the cookie if it changed; never for programs."""
        if not is_for_programs():
            super().save_session(app, session, response)


def ignore_cookies() -> None:
    """Let a browser's session mean nothing to the API."""
    if is_for_programs():
        g._login_user = login_manager.anonymous_user()


def require_login():
    """Turn strangers away from every page that is not public."""
    endpoint = request.endpoint
    if endpoint is None or endpoint == "static" or is_for_programs():
        return None
    if lacks_second_factor() and endpoint not in WITHOUT_SECOND_FACTOR:
        return redirect(url_for("accounts.second_factor", next=here()), 303)
    if is_public(current_app, endpoint):
        return None
    return None if current_user.is_authenticated else login_manager.unauthorized()


def lacks_second_factor() -> bool:
    """Tell whether staff has signed in by password alone, which opens nothing."""
    if SESSION_KEY not in session or not current_user.is_authenticated:
        return False
    return current_user.is_staff and g.get("second_factor_at") is None


def require_staff():
    """Let moderators in who have shown their second factor; others see nothing.

    Every `staff.py` calls it before each request.
    """
    if not current_user.is_authenticated:
        return login_manager.unauthorized()
    if not current_user.is_staff:
        abort(404)
    if g.get("second_factor_at") is None:
        return redirect(url_for("accounts.second_factor", next=here()), 303)
    return None


def require_same_origin():
    """Refuse a change that another site asked for; a key is sent by no other site."""
    if request.method in SAFE_METHODS or is_for_programs():
        return
    if request.headers.get("Sec-Fetch-Site") in {"cross-site", "same-site"}:
        abort(403)
    origin = request.headers.get("Origin")
    if origin and origin != "null" and netloc(origin) != request.host:
        abort(403)


def netloc(address: str | None) -> str:
    """Return the host of an address; a made-up one has none."""
    try:
        return urlsplit(address or "").netloc
    except ValueError:
        return ""


def nobody_is_known() -> None:
    """Show the page of an outage without asking the database who reads it."""
    db.session.rollback()
    g.outage = True
    g._login_user = login_manager.anonymous_user()


def here() -> str:
    """Return the path of this request, to come back to."""
    return request.full_path.rstrip("?") if request.method == "GET" else request.path


def safe_next(target: str | None) -> str | None:
    """Return a path of this board that a GET answers, or None for anything else."""
    if not target or not target.startswith("/") or len(target) > 500:
        return None
    path, _, query = target.partition("?")
    if not set(path) <= _PATH or "//" in path:
        return None
    try:
        current_app.url_map.bind("").match(path, method="GET")
    except HTTPException:
        return None
    return f"{path}?{query}" if query and set(query) <= _QUERY else path


_PATH = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_-.~%")
_QUERY = _PATH | set("=&+")


def init_app(app: Flask) -> None:
    """Close every page."""
    app.session_interface = BrowserSessions()
    login_manager.init_app(app)
    app.before_request(ignore_cookies)
    app.before_request(require_same_origin)
    app.before_request(require_login)
