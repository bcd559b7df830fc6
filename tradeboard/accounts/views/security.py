"""How one logs in: codes of an app, recovery codes, passkeys."""

from flask import flash, g, make_response, redirect, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts import queries
from tradeboard.accounts.forms import NewPasskeyForm
from tradeboard.accounts.services import passkeys as services
from tradeboard.accounts.services import second_factor
from tradeboard.accounts.views import browser, passkeys
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm


@bp.get("/me/security")
def security():
    """Show how one logs in, and what can be changed about it."""
    return _page()


@bp.post("/me/passkeys")
def add_passkey():
    """Keep a passkey that this device has made."""
    form = NewPasskeyForm()
    if not form.validate_on_submit():
        return _page(form, 422)
    try:
        asked, user_handle = passkeys.take_asked(passkeys.ADD)
        answer = act(form.submit_id.data, lambda: _add(form, asked, user_handle))
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form, 422)
    flash(
        _("パスキーを追加しました。次からは、パスワードなしでログインできます。"), "ok"
    )
    return answer


def _add(form, asked, user_handle) -> str:
    services.add(
        form.answer.data,
        asked,
        name=form.name.data or browser.label().label or _("パスキー"),
        user_handle=user_handle,
        by=current_user,
        now=clock.now(),
    )
    return url_for("accounts.security")


@bp.post("/me/passkeys/<int:passkey_id>/remove")
def remove_passkey(passkey_id):
    """Take an own passkey away."""

    def verb():
        services.remove(passkey_id, by=current_user, now=clock.now())
        return url_for("accounts.security")

    answer = act(ButtonForm().submit_id.data, verb)
    flash(_("パスキーを削除しました。"), "ok")
    return answer


@bp.post("/me/second-factor/codes")
def new_recovery_codes():
    """Show new recovery codes this one time; the former ones are good no more."""
    if not ButtonForm().validate_on_submit():
        return _page(status=422)
    with transaction():
        codes = second_factor.renew_codes(current_user, now=clock.now())
    following = url_for("accounts.security")
    return render_template(
        "accounts/recovery_codes.html", codes=codes, following=following
    )


@bp.post("/me/second-factor/remove")
def remove_second_factor():
    """Log in without codes again, as a member."""
    if not ButtonForm().validate_on_submit():
        return _page(status=422)
    with transaction():
        second_factor.remove(current_user, now=clock.now())
    flash(_("2段階認証を解除しました。"), "ok")
    return redirect(url_for("accounts.security"), 303)


def _page(add=None, status=200):
    has_codes = queries.has_totp(current_user.id)
    found = queries.passkeys_of(current_user.id)
    page = render_template(
        "accounts/security.html",
        has_codes=has_codes,
        codes_left=queries.recovery_codes_left(current_user.id) if has_codes else 0,
        must_have_codes=current_user.is_staff,
        passkeys=found,
        has_passkeys=passkeys.place() is not None,
        may_add=len(found) < services.MOST,
        most=services.MOST,
        add=add or NewPasskeyForm(formdata=None, data={"name": browser.label().label}),
        this_session=g.session_hash,
        new_button=lambda: ButtonForm(formdata=None),
    )
    return make_response(page, status)
