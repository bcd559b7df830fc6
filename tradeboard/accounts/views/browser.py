"""What a browser brings along: its session, its device cookie, and who that is."""

from datetime import datetime
from functools import partial

from flask import Response, current_app, g, request, session
from flask_login import current_user
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tradeboard.accounts import queries, tokens
from tradeboard.accounts.models import Account, Device
from tradeboard.accounts.rules.devices import COOKIE_MAX_AGE
from tradeboard.accounts.services import devices, holds, sessions
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import send_along, settle, transaction
from tradeboard.web import access, carriers, cookies, throttling
from tradeboard.web.access import SAFE_METHODS, login_manager

LABELS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "Chromebook"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
)


@login_manager.user_loader
def load(token: str) -> Account | queries.Reader | None:
    """Return who is signed in with this cookie; a dead session is nobody."""
    if access.is_browsing() or access.is_sent_by_number():
        return _reader(token)
    found = queries.find_session(tokens.hash_token(token), now=clock.now())
    if found is None or found.account.closed_at is not None:
        return None
    remember_session(found.account, found.token_hash, found.second_factor_at)
    g.proved_at, g.awaits_factor = found.proved_at, found.awaits_factor
    g.session_seen_at = found.last_seen_at
    return found.account


def _reader(token: str) -> queries.Reader | None:
    """Return who only looks around: a few columns, no row that could be changed."""
    found = queries.find_reader(tokens.hash_token(token), now=clock.now())
    if found is not None:
        remember_session(found, found.token_hash, found.second_factor_at)
        g.session_seen_at = found.last_seen_at
        g.awaits_factor = found.awaits_factor
    return found


def remember_session(account, token_hash, second_factor_at) -> None:
    """Let the rest of the request know how this person is signed in."""
    g.session_hash = token_hash
    g.second_factor_at = second_factor_at
    g.account_language = account.language
    g.account_time_zone = account.time_zone
    g.pop("language", None)


@bp.before_app_request
def keep_books() -> None:
    """Note that the session is in use, and from which browser a person writes.

    A browser that is known goes along with the change that the page makes; all else
    is noted before the page begins, in a short transaction of its own.
    """
    if request.endpoint in (None, "static") or not current_user.is_authenticated:
        return
    now = clock.now()
    late = now - g.session_seen_at >= sessions.SEEN_EVERY
    writes = request.method not in SAFE_METHODS
    if not late and not writes:
        return
    if writes and not late and recognised().cookie is None:
        send_along(partial(_note_again, current_user.id, now))
        return
    with transaction():
        if late:
            sessions.seen(g.session_hash, now=now)
        if writes:
            note_device(db.session.get_one(Account, current_user.id))


def _note_again(account_id: int, now: datetime) -> None:
    """Note in two statements that a browser writes as before, if that is all."""
    if not devices.use_again(recognised(), account_id, now=now):
        note_device(db.session.get_one(Account, account_id))


@bp.after_app_request
def keep_the_rest(response: Response) -> Response:
    """Note the use of a browser that no change took along; an outage notes nothing."""
    try:
        settle()
    except (DBAPIError, PoolTimeout):
        db.session.rollback()
    return response


@bp.teardown_app_request
def forget_errand(_error: BaseException | None) -> None:
    """Let nothing of this request go along with another one."""
    send_along(None)


def note_device(account: Account) -> Device:
    """Record that this person writes from this browser; inside a transaction.

    If the browser is watched for somebody else, the person is held from here on.
    """
    seen, now = recognised(), clock.now()
    g.set_device_cookie = seen.cookie
    device = devices.record_use(seen, account, now=now)
    holds.device_seen(account, device, now=now)
    return device


def recognised() -> devices.Recognised:
    """Return which browser this is, the same one all through the request."""
    if "recognised" not in g:
        cookie = request.cookies.get(cookie_name())
        g.recognised = devices.recognise(cookie, now=clock.now())
        if cookie and g.recognised.is_new:
            g.device_cookie_refused = True
    return g.recognised


def cookie_name() -> str:
    """Return the name of the device cookie."""
    return cookies.name_of("device")


@bp.after_app_request
def set_device_cookie(response: Response) -> Response:
    """Give the browser its identifier, after a write and never after reading."""
    if g.pop("device_cookie_refused", False):
        carriers.count("device-cookie-refused")
    value = g.get("set_device_cookie")
    if value:
        secure = "Secure; " if current_app.config["SESSION_COOKIE_SECURE"] else ""
        response.headers.add(
            "Set-Cookie",
            f"{cookie_name()}={value}; {secure}HttpOnly; SameSite=Lax; Path=/; "
            f"Max-Age={COOKIE_MAX_AGE}",
        )
    return response


def begin_session(account: Account, token: str) -> None:
    """Put a new token into the cookie; forms shown before are good no more."""
    session.clear()
    g.pop("csrf_token", None)
    session["_user_id"] = token
    session.permanent = True
    g.session_hash = tokens.hash_token(token)
    g._login_user = account


def label() -> sessions.Browser:
    """Return what the list of sessions says about this browser."""
    agent = request.user_agent.string
    name = next((shown for part, shown in LABELS if part in agent), "")
    return sessions.Browser(label=name, network=throttling.wide_network())
