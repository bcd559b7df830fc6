"""Log in and out."""

from flask import (
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

from tradeboard.accounts import passwords, queries
from tradeboard.accounts.forms import LoginForm, PasskeyForm
from tradeboard.accounts.services import passkeys as passkey_services
from tradeboard.accounts.services import sessions, telling
from tradeboard.accounts.views import browser, carrying, entering, passkeys
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import message
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling
from tradeboard.web.access import here, login_manager, public, safe_next

# A browser, or a network, that tries for one account.
TRIES = "10 per 15 minutes"
# What all strangers' browsers together may try for one account; then they are slowed.
ACCOUNT_TRIES = "100 per hour"
SLOW_TRIES = "2 per 15 minutes"
# One line tries for any accounts; many people may stand behind it.
LINE_TRIES = "300 per 15 minutes"
# Passkeys that one line shows; none can be guessed.
PASSKEY_TRIES = "300 per 15 minutes"

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
            return redirect(entering.after(request.args.get("next")), 303)
        form.next.data = safe_next(request.args.get("next")) or ""
        return _page(form)
    if not form.validate_on_submit():
        return _page(form, 422)
    try:
        account = _check(form.email.data, form.password.data)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form, 422)
    entering.enter(account, fresh_hash=_at_todays_cost(account, form.password.data))
    return entering.go_on(form)


def _check(login, password):
    """Return who that is; wrong tries are counted before they are made."""
    found = sessions.candidates(login)
    known = _known_browser(found)
    whose = _whose(login)
    buckets = _buckets(whose, known)
    given = [] if known else [("login-line", throttling.network(), LINE_TRIES)]
    throttling.limit_each(
        *(throttling.Rate(*one) for one in given),
        *(
            throttling.Rate(name, key, rate, text=TOO_MANY)
            for name, key, rate in buckets
        ),
    )
    try:
        account = sessions.check_password(found, password)
    except RuleBroken:
        if not known and throttling.count("login-account", whose, ACCOUNT_TRIES) == 0:
            _tell_of_wrong_tries(found)
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
    """Tell whether the account was used in this browser; asked whoever exists.

    One that was registered with somebody else's address makes no browser known to the
    owner of that address.
    """
    if not request.cookies.get(browser.cookie_name()):
        return False
    seen = browser.recognised()
    if seen.is_new:
        return False
    owners = [account for account in found if account is not None]
    if len(found) > 1:
        owners = [account for account in owners if account.is_confirmed]
    return queries.has_used_any([account.id for account in owners], seen.keys)


def _tell_of_wrong_tries(found) -> None:
    """Write to whoever owns the account: strangers have tried often."""
    with transaction():
        for account in found:
            if account is not None and account.is_confirmed:
                telling.tell_of_wrong_tries(account, now=clock.now())


def _whose(name) -> str:
    """Name the bucket by what was typed, as it is compared, whoever exists.

    If a name and an address shared one, it would tell whose address that is.
    """
    kind, value = sessions.read_login(name)
    return f"{kind}:{value}"


def _at_todays_cost(account, password):
    """Return a new hash if the stored one is of another cost; slow, so beforehand."""
    if passwords.needs_rehash(account.password_hash):
        return passwords.hash_password(password)
    return None


def _page(form, status=200):
    page = render_template(
        "accounts/login.html",
        form=form,
        carried=carrying.read(form.carried.data),
        passkey=passkeys.form_to_show(form),
    )
    return page, status


@login_manager.unauthorized_handler
def ask_to_log_in():
    """Show the way in; a form that was sent is carried along, nothing is lost."""
    if request.path.startswith("/api/"):
        return {"title": "log in", "status": 401}, 401
    if request.method != "POST":
        return redirect(url_for("accounts.login", next=here()), 303)
    form = LoginForm(formdata=None)
    form.carried.data = carrying.this_form()
    return _page(form, 401)


@bp.post("/login/passkey")
@public
def passkey_sign_in():
    """Let somebody in whose device shows a passkey: no password, and both factors."""
    form = PasskeyForm()
    shown = LoginForm(formdata=None)
    shown.next.data = safe_next(form.next.data) or ""
    shown.carried.data = form.carried.data
    if not form.validate_on_submit():
        return _page(shown, 422)
    throttling.limit("passkey-line", throttling.network(), PASSKEY_TRIES)
    now = clock.now()
    try:
        asked, _user_handle = passkeys.take_asked(passkeys.ENTER)
        with transaction():
            account = passkey_services.recognise(form.answer.data, asked, now=now)
    except RuleBroken as refusal:
        shown.refuse(refusal)
        return _page(shown, 422)
    entering.enter(account, second_factor_at=now)
    return entering.go_on(shown)


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
    # Pages and what was typed; not "cookies": the identifier of the browser stays.
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response
