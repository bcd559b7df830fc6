"""Ask once more who that is, before something important, and lose nothing typed."""

from flask import g, redirect, render_template, request
from flask_login import current_user

from tradeboard.accounts import queries
from tradeboard.accounts.forms import ProveForm
from tradeboard.accounts.services import passkeys as passkey_services
from tradeboard.accounts.services import second_factor, sessions
from tradeboard.accounts.views import browser, carrying, entering, passkeys
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web import proving, throttling
from tradeboard.web.access import safe_next


@bp.route("/login/again", methods=["GET", "POST"])
def prove():
    """Ask for the password, or a code where there is an app, or a passkey."""
    form = _form()
    if request.method == "GET":
        following = safe_next(request.args.get("next"))
        if proving.is_fresh():
            return redirect(entering.after(following), 303)
        form.next.data = following or ""
        return _page(form)
    if not request.form.get("answer") and not form.validate_on_submit():
        return _page(form), 422
    try:
        _prove(form)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form), 422
    return entering.go_on(form)


@proving.page
def hold_on():
    """Keep a form that was sent, and ask; it is sent again by hand afterwards."""
    form = _form(formdata=None)
    form.carried.data = carrying.this_form()
    return _page(form), 401


def _form(**options):
    """Return the form with the one field that this person is asked for."""
    form = ProveForm(**options)
    if queries.has_totp(current_user.id):
        del form.password
    else:
        del form.code
    return form


def _prove(form):
    """Check what was shown and renew the session: its former id is good no more."""
    now, factor_at = clock.now(), g.second_factor_at
    answer = request.form.get("answer")
    if answer:
        asked, _ = passkeys.take_asked(passkeys.PROVE)
    elif "password" in form:
        throttling.limit_own_password(current_user.id)
        sessions.check_own_password(current_user, form.password.data)
    else:
        entering.limit_codes()
    with transaction():
        if answer:
            passkey_services.recognise_self(answer, asked, by=current_user, now=now)
        elif "code" in form:
            second_factor.check(current_user, form.code.data, now=now)
        if answer or "code" in form:
            factor_at = now
        token = sessions.renew(g.session_hash, second_factor_at=factor_at, now=now)
    if "code" in form:
        throttling.forget(*entering.code_tries())
    _go_on_as_before(token, factor_at)


def _go_on_as_before(token, factor_at):
    browser.begin_session(current_user._get_current_object(), token)
    g.second_factor_at = factor_at
    g.awaits_factor = g.awaits_factor and factor_at is None


def _page(form):
    return render_template(
        "accounts/prove.html",
        form=form,
        passkey=passkeys.own_form_to_show(form),
        carried=carrying.read(form.carried.data),
    )
