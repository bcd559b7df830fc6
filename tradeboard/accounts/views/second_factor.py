"""The second factor: show it after the password, and set it up.

Staff must have one; members may. A passkey counts as one, since its device makes sure
who holds it.
"""

from flask import current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user
from markupsafe import Markup

from tradeboard.accounts import queries, tokens, totp
from tradeboard.accounts.forms import CodeForm
from tradeboard.accounts.services import passkeys as passkey_services
from tradeboard.accounts.services import second_factor as services
from tradeboard.accounts.services import sessions
from tradeboard.accounts.views import browser, entering, passkeys
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling
from tradeboard.web.access import lacks_second_factor, safe_next
from tradeboard.web.fields import ButtonForm


@bp.route("/login/second", methods=["GET", "POST"])
def second_factor():
    """Ask for a code of the app, a recovery code or a passkey."""
    following = safe_next(request.values.get("next"))
    if g.get("second_factor_at") is not None:
        return redirect(_after(following), 303)
    if not _has_factor():
        target = url_for("accounts.second_factor_set_up", next=following)
        return redirect(target, 303)
    form = CodeForm()
    if request.method == "GET":
        form.next.data = following or ""
        return entering.factor_page(form)
    if request.form.get("answer"):
        return _check_passkey(form)
    if not form.validate_on_submit():
        return entering.factor_page(form), 422
    return _check(form)


def _has_factor() -> bool:
    if queries.has_totp(current_user.id):
        return True
    return bool(passkeys.place() and queries.passkeys_of(current_user.id))


def _check(form):
    entering.limit_codes()
    now = clock.now()
    try:
        with transaction():
            services.check(current_user, form.code.data, now=now)
            token = sessions.renew(g.session_hash, second_factor_at=now, now=now)
    except RuleBroken as refusal:
        form.refuse(refusal)
        left = throttling.left(*entering.code_tries())
        return entering.factor_page(form, left=left), 422
    throttling.forget(*entering.code_tries())
    return _go_on(form, token, now)


def _check_passkey(form):
    now = clock.now()
    try:
        asked, _ = passkeys.take_asked(passkeys.PROVE)
        with transaction():
            passkey_services.recognise_self(
                request.form["answer"], asked, by=current_user, now=now
            )
            token = sessions.renew(g.session_hash, second_factor_at=now, now=now)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return entering.factor_page(form), 422
    return _go_on(form, token, now)


def _go_on(form, token, now):
    _begin(token, now)
    if not form.carried.data and not form.next.data and current_user.is_staff:
        return redirect(url_for("desk.index"), 303)
    return entering.go_on(form)


def _begin(token, now):
    browser.begin_session(current_user._get_current_object(), token)
    g.second_factor_at, g.awaits_factor = now, False


@bp.route("/login/second/setup", methods=["GET", "POST"])
def second_factor_set_up():
    """Show the picture for the app, take a first code, show the recovery codes once."""
    form = CodeForm()
    following = safe_next(request.values.get("next"))
    row = queries.find_totp(current_user.id)
    is_set = row is not None and row.confirmed_at is not None
    # A password alone sets up no further factor beside one that was not shown.
    if is_set or lacks_second_factor() and _has_factor():
        return redirect(url_for("accounts.second_factor", next=following), 303)
    if request.method == "GET":
        form.next.data = following or ""
        return _set_up_page(form, row)
    if request.form.get("do") == "begin" or row is None:
        with transaction():
            services.begin(current_user, now=clock.now())
        target = url_for("accounts.second_factor_set_up", next=following)
        return redirect(target, 303)
    if not form.validate_on_submit():
        return _set_up_page(form, row), 422
    return _finish(form, following)


def _finish(form, following):
    """Take the first code; sessions that were begun without one end."""
    entering.limit_codes()
    now = clock.now()
    try:
        with transaction():
            codes = services.confirm(current_user, form.code.data, now=now)
            token = sessions.renew(g.session_hash, second_factor_at=now, now=now)
            keep = tokens.hash_token(token)
            sessions.sign_out_everywhere(current_user.id, but=keep, now=now)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _set_up_page(form, queries.find_totp(current_user.id)), 422
    _begin(token, now)
    flash(_("2段階認証を設定しました。"), "ok")
    return render_template(
        "accounts/recovery_codes.html", codes=codes, following=_after(following)
    )


def _set_up_page(form, row):
    secret = totp.unseal(row.secret, current_user.id) if row is not None else None
    return render_template(
        "accounts/second_factor_set_up.html",
        form=form,
        begin=ButtonForm(formdata=None),
        secret=secret,
        picture=_picture(secret) if secret else None,
        is_for_staff=current_user.is_staff,
    )


def _picture(secret):
    # Drawn by us from our own secret; it holds nothing that a person typed but the
    # handle, which is inside the squares.
    site = current_app.config["SITE_NAME"]
    return Markup(totp.picture(secret, handle=current_user.handle, site=site))


def _after(following) -> str:
    if following:
        return following
    own = "desk.index" if current_user.is_staff else "accounts.security"
    return url_for(own)
