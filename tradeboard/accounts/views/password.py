"""A new password: by a mailed link, or by somebody who is signed in."""

from flask import (
    flash,
    g,
    make_response,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts import tokens
from tradeboard.accounts.forms import EmailForm, NewPasswordForm, PasswordForm
from tradeboard.accounts.services import profile, sessions
from tradeboard.accounts.views import browser
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling
from tradeboard.web.access import public
from tradeboard.web.evenly import in_even_steps

MAILS_PER_LINE = "20 per hour"


@bp.route("/reset", methods=["GET", "POST"])
@public
@in_even_steps
def reset():
    """Send a link to the stored address; the answer is the same for everybody."""
    form = EmailForm()
    if request.method == "GET":
        return render_template("accounts/reset.html", form=form)
    if not form.validate_on_submit():
        return render_template("accounts/reset.html", form=form), 422
    throttling.limit("reset", throttling.network(), MAILS_PER_LINE)
    if not form.is_of_a_program:
        with transaction():
            profile.ask_for_reset(form.email.data.strip(), now=clock.now())
    return render_template("accounts/reset_sent.html")


@bp.route("/reset/<token>", methods=["GET", "POST"])
@public
def reset_with(token):
    """Take a new password; opening the page uses nothing up."""
    form = NewPasswordForm()
    try:
        answer = _reset(token, form)
    except Conflict:
        page = render_template("accounts/reset_with.html", form=None)
        answer = make_response(page, 410)
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _reset(token, form):
    account = tokens.read(token, "reset", now=clock.now())
    if not form.validate_on_submit():
        status = 200 if request.method == "GET" else 422
        return _page("accounts/reset_with.html", form, status)
    try:
        hashed = profile.new_hash(account, form.new_password.data)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page("accounts/reset_with.html", form, 422)
    with transaction():
        profile.reset_password(token, hashed, now=clock.now())
    session.clear()
    flash(_("パスワードを変更しました。新しいパスワードでログインしてください。"), "ok")
    return redirect(url_for("accounts.login"), 303)


@bp.route("/me/password", methods=["GET", "POST"])
def password():
    """Change the password; every other session ends."""
    form = PasswordForm()
    if not form.validate_on_submit():
        status = 200 if request.method == "GET" else 422
        return _page("accounts/password.html", form, status)
    throttling.limit_own_password(current_user.id)
    try:
        _change(form)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page("accounts/password.html", form, 422)
    flash(_("パスワードを変更しました。ほかの端末はログアウトしました。"), "ok")
    return redirect(url_for("accounts.me"), 303)


def _change(form):
    sessions.check_own_password(current_user, form.password.data)
    hashed = profile.new_hash(current_user, form.new_password.data)
    now, proved_at = clock.now(), g.second_factor_at
    with transaction():
        token = sessions.renew(g.session_hash, second_factor_at=proved_at, now=now)
        keep = tokens.hash_token(token)
        profile.change_password(current_user, hashed, keep=keep, now=now)
    browser.begin_session(current_user._get_current_object(), token)


def _page(template, form, status):
    return make_response(render_template(template, form=form), status)
