"""Log in and out."""

import json

from flask import (
    current_app,
    flash,
    g,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask_babel import gettext as _
from flask_login import current_user
from werkzeug.exceptions import HTTPException

from tradeboard.accounts import passwords, queries
from tradeboard.accounts.forms import LoginForm
from tradeboard.accounts.services import sessions
from tradeboard.accounts.views import browser
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import message
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling
from tradeboard.web.access import here, login_manager, public, safe_next
from tradeboard.web.error_pages import NOT_TYPED

# A browser, or a network, that tries for one account.
TRIES = "10 per 15 minutes"
# What all strangers' browsers together may try for one account; then they are slowed.
ACCOUNT_TRIES = "100 per hour"
SLOW_TRIES = "2 per 15 minutes"
# One line tries for any accounts; many people may stand behind it.
LINE_TRIES = "300 per 15 minutes"

TOO_MANY = message(
    "ログインの間違いが続いたため、少し待ってからお試しください。"
    "以前ログインした端末からは、いまもログインできます。"
)


@bp.route("/login", methods=["GET", "POST"])
@public
def login():
    """Ask for name and password; whoever is signed in already goes on."""
    form = LoginForm()
    if request.method == "GET":
        if current_user.is_authenticated:
            return redirect(_after(request.args.get("next")), 303)
        form.next.data = safe_next(request.args.get("next")) or ""
        return _page(form)
    if not form.validate_on_submit():
        return _page(form, 422)
    try:
        account = _check(form.email.data, form.password.data)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form, 422)
    _sign_in(account, form.password.data)
    return _go_on(account, form)


def _check(name, password):
    """Return who that is; wrong tries are counted before they are made."""
    found = sessions.candidates(name)
    known = _known_browser(found)
    whose = _whose(name)
    buckets = _buckets(whose, known)
    throttling.limit("login-line", throttling.network(), LINE_TRIES)
    for bucket, key, rate in buckets:
        throttling.limit(bucket, key, rate, text=TOO_MANY)
    try:
        account = sessions.check_password(found, password)
    except RuleBroken:
        if not known:
            throttling.count("login-account", whose, ACCOUNT_TRIES)
        raise
    for bucket, key, rate in buckets:
        throttling.forget(bucket, key, rate)
    return account


def _buckets(whose, known):
    """Return what may be used up; a browser known to the account has its own."""
    if known:
        return [("login-device", f"{whose}|{browser.recognised().key}", TRIES)]
    near = f"{whose}|{throttling.wide_network()}"
    if throttling.left("login-account", whose, ACCOUNT_TRIES) == 0:
        return [("login-slow", near, SLOW_TRIES)]
    return [("login-near", near, TRIES)]


def _known_browser(found) -> bool:
    if not request.cookies.get(browser.cookie_name()):
        return False
    seen = browser.recognised()
    return not seen.is_new and any(
        account is not None and queries.has_used(account.id, seen.keys)
        for account in found
    )


def _whose(name) -> str:
    """Name the bucket by what was typed, as it is compared, whoever exists.

    If a name and an address shared one, it would tell whose address that is.
    """
    kind, value = sessions.read_login(name)
    return f"{kind}:{value}"


def _sign_in(account, password):
    """Begin the session; what takes long is done before the transaction."""
    fresh = None
    if passwords.needs_rehash(account.password_hash):
        fresh = passwords.hash_password(password)
    seen = browser.recognised()
    is_new = queries.has_any_device(account.id) and not queries.has_used(
        account.id, seen.keys
    )
    now = clock.now()
    with transaction():
        sessions.keep_up(account, password, fresh)
        device = browser.note_device(account)
        if is_new:
            sessions.tell_of_new_device(account, device, now=now)
        token = sessions.sign_in(
            account, device=device, browser=browser.label(), now=now
        )
    browser.begin_session(account, token)


def _go_on(account, form):
    """Lead staff to the second factor, a carried form back, others where they were."""
    carried = read_carried(form.carried.data)
    if carried is not None:
        action, fields = carried
        return render_template(
            "resubmit.html", action=action, fields=fields, after_login=True
        )
    if account.is_staff:
        following = safe_next(form.next.data)
        return redirect(url_for("accounts.second_factor", next=following), 303)
    return redirect(_after(form.next.data), 303)


def _after(following) -> str:
    return safe_next(following) or url_for("todo.show")


def _page(form, status=200):
    carried = read_carried(form.carried.data)
    page = render_template("accounts/login.html", form=form, carried=carried)
    return page, status


@login_manager.unauthorized_handler
def ask_to_log_in():
    """Show the way in; a form that was sent is carried along, nothing is lost."""
    if request.path.startswith("/api/"):
        return {"title": "log in", "status": 401}, 401
    if request.method != "POST":
        return redirect(url_for("accounts.login", next=here()), 303)
    form = LoginForm(formdata=None)
    form.carried.data = json.dumps(
        {"action": request.full_path.rstrip("?"), "fields": _typed()},
        ensure_ascii=False,
    )
    return _page(form, 401)


def _typed() -> list[tuple[str, str]]:
    return [
        (name, value)
        for name, value in request.form.items(multi=True)
        if name not in NOT_TYPED
    ]


def read_carried(text: str | None) -> tuple[str, list[tuple[str, str]]] | None:
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


@bp.post("/logout")
@public
def logout():
    """End this session for good: its cookie is worth nothing afterwards."""
    if current_user.is_authenticated:
        with transaction():
            sessions.sign_out(g.session_hash, now=clock.now())
    session.clear()
    flash(_("ログアウトしました。"), "ok")
    response = redirect(url_for("listings.board"), 303)
    # Not "cookies": the identifier of the browser stays.
    response.headers["Clear-Site-Data"] = '"cache"'
    return response
