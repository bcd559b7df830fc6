"""Who may open a page: members only, unless the page says @public."""

from flask import Flask, abort, current_app, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSessionInterface
from flask_login import LoginManager, current_user
from itsdangerous import URLSafeTimedSerializer
from werkzeug.exceptions import HTTPException

from tradeboard.core.db import db
from tradeboard.web import origins, proving
from tradeboard.web.readable import FOR_PROGRAMS

login_manager = LoginManager()
login_manager.session_protection = None

SAFE_METHODS = proving.SAFE_METHODS

SESSION_KEY = "_user_id"

WITHOUT_SECOND_FACTOR = frozenset(
    {
        "accounts.logout",
        "accounts.preferences",
        "accounts.passkey_options",
        "accounts.prove",
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


def browsed(view):
    """Let a page be read as somebody of whom a few columns are known, not the row.

    It tells nothing of the reader's own, and is read again and again.
    """
    view.is_browsed = True
    return view


def sent_by_number(view):
    """Let a form be taken from somebody of whom a few columns are known, not the row.

    What it decides is read under a lock. A page in its answer calls `know_sender`.
    """
    view.is_sent_by_number = True
    return view


def is_sent_by_number() -> bool:
    """Tell whether this request sends such a form, and only leads on."""
    if request.method in SAFE_METHODS:
        return False
    view = current_app.view_functions.get(request.endpoint or "")
    return hasattr(view, "is_sent_by_number") and "knows_sender" not in g


def know_sender() -> None:
    """Read whole who sent the form, since its answer is more than a way on."""
    if not is_sent_by_number():
        return
    g.knows_sender = True
    g.pop("_login_user", None)


def is_browsing() -> bool:
    """Tell whether this request reads such a page."""
    if request.method not in SAFE_METHODS:
        return False
    view = current_app.view_functions.get(request.endpoint or "")
    return hasattr(view, "is_browsed")


def is_public(app: Flask, endpoint: str) -> bool:
    """Tell whether anybody may open it."""
    return endpoint == "static" or hasattr(app.view_functions[endpoint], "is_public")


def is_for_programs() -> bool:
    """Tell whether this is the API, where no cookie counts and nobody is signed in."""
    return request.path.startswith(FOR_PROGRAMS)


class BrowserSessions(SecureCookieSessionInterface):
    """Keeps sessions in a cookie, and neither reads nor sets one for programs."""

    def __init__(self) -> None:
        self._made: dict[tuple, URLSafeTimedSerializer | None] = {}

    def get_signing_serializer(self, app):
        """Return what signs the cookie, made once for the keys there are."""
        keys = (app.secret_key, *(app.config["SECRET_KEY_FALLBACKS"] or ()))
        if keys not in self._made:
            self._made = {keys: super().get_signing_serializer(app)}
        return self._made[keys]

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
    if not current_user.is_authenticated:
        return login_manager.unauthorized()
    return proving.require(endpoint)


def lacks_second_factor() -> bool:
    """Tell whether somebody with a second factor has shown a password alone.

    That opens nothing. Staff without a factor sets one up first.
    """
    if SESSION_KEY not in session or not current_user.is_authenticated:
        return False
    if g.get("awaits_factor"):
        return True
    return current_user.is_staff and g.get("second_factor_at") is None


def permits(act: str):
    """Open a page of the desk to whoever may do this; without it nobody may open it."""

    def opened(view):
        view.act = act
        return view

    return opened


def act_of(app: Flask, endpoint: str | None) -> str | None:
    """Return what a page of the desk is for, or None if it does not say so."""
    return getattr(app.view_functions.get(endpoint or ""), "act", None)


def require_staff():
    """Let in who may do what the page is for, after the second factor; others see none.

    Every `staff.py` calls it before each request. The table of who may do what is
    `accounts.rules.permissions`.
    """
    if not current_user.is_authenticated:
        return login_manager.unauthorized()
    act = act_of(current_app, request.endpoint)
    if act is None or not current_user.may(act):
        abort(404)
    if g.get("second_factor_at") is None:
        return redirect(url_for("accounts.second_factor", next=here()), 303)
    return proving.require_of_staff(request.endpoint)


def from_anywhere(view):
    """Let mail programs post to a page whose address itself says what may be done."""
    view.is_from_anywhere = True
    return view


def from_here_alone(view):
    """Let a form without a token change what is no secret, if the browser vouches.

    The browser must say that a page of this board sent it: saying nothing is refused.
    """
    view.is_from_here_alone = True
    return view


def require_same_origin():
    """Refuse a change that another site asked for; a key is sent by no other site."""
    if request.method in SAFE_METHODS or is_for_programs():
        return
    view = current_app.view_functions.get(request.endpoint or "")
    if hasattr(view, "is_from_anywhere"):
        return
    site = request.headers.get("Sec-Fetch-Site")
    if site in {"cross-site", "same-site"}:
        abort(403)
    origin = request.headers.get("Origin")
    is_named = bool(origin) and origin != "null"
    if is_named and not origins.is_ours(origin):
        abort(403)
    if hasattr(view, "is_from_here_alone") and not (is_named or site == "same-origin"):
        abort(403)


def nobody_is_known() -> None:
    """Show the page of an outage without asking the database who reads it."""
    db.session.rollback()
    g.outage = True
    g._login_user = login_manager.anonymous_user()


here = proving.here


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
