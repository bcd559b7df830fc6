"""The second factor of moderators: show it, and set it up."""

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user
from markupsafe import Markup

from tradeboard.accounts import queries, totp
from tradeboard.accounts.forms import CodeForm
from tradeboard.accounts.services import second_factor as services
from tradeboard.accounts.services import sessions
from tradeboard.accounts.views import browser
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling
from tradeboard.web.access import safe_next
from tradeboard.web.fields import ButtonForm

TRIES = "10 per 15 minutes"


@bp.route("/login/second", methods=["GET", "POST"])
def second_factor():
    """Ask for a code of the app, or a recovery code."""
    _require_staff()
    following = safe_next(request.values.get("next"))
    row = queries.find_totp(current_user.id)
    if row is None or row.confirmed_at is None:
        target = url_for("accounts.second_factor_set_up", next=following)
        return redirect(target, 303)
    if g.get("second_factor_at") is not None:
        return redirect(_after(following), 303)
    form = CodeForm()
    if request.method == "GET":
        form.next.data = following or ""
        return render_template("accounts/second_factor.html", form=form)
    if not form.validate_on_submit():
        return render_template("accounts/second_factor.html", form=form), 422
    return _check(form, following)


def _check(form, following):
    whose = f"{current_user.id}|{throttling.wide_network()}"
    throttling.limit("second-factor", whose, TRIES)
    now = clock.now()
    try:
        with transaction():
            services.check(current_user, form.code.data, now=now)
            token = sessions.renew(g.session_hash, second_factor_at=now, now=now)
    except RuleBroken as refusal:
        form.refuse(refusal)
        left = throttling.left("second-factor", whose, TRIES)
        page = render_template("accounts/second_factor.html", form=form, left=left)
        return page, 422
    throttling.forget("second-factor", whose, TRIES)
    browser.begin_session(current_user._get_current_object(), token)
    return redirect(_after(following), 303)


@bp.route("/login/second/setup", methods=["GET", "POST"])
def second_factor_set_up():
    """Show the picture for the app, take a first code, show the recovery codes once."""
    _require_staff()
    form = CodeForm()
    following = safe_next(request.values.get("next"))
    row = queries.find_totp(current_user.id)
    if row is not None and row.confirmed_at is not None:
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
    whose = f"{current_user.id}|{throttling.wide_network()}"
    throttling.limit("second-factor", whose, TRIES)
    now = clock.now()
    try:
        with transaction():
            codes = services.confirm(current_user, form.code.data, now=now)
            token = sessions.renew(g.session_hash, second_factor_at=now, now=now)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _set_up_page(form, queries.find_totp(current_user.id)), 422
    browser.begin_session(current_user._get_current_object(), token)
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
    )


def _picture(secret):
    # Drawn by us from our own secret; it holds nothing that a person typed but the
    # handle, which is inside the squares.
    return Markup(totp.picture(secret, handle=current_user.handle, site="Tradeboard"))


def _after(following) -> str:
    return following or url_for("desk.index")


def _require_staff() -> None:
    if not current_user.is_staff:
        raise NotFound("ページが見つかりません。")
