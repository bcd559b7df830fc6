"""Change the primary address; the link in the mail is `listings.confirm_change`."""

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.forms import ChangeEmailForm
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.services import address, sessions
from tradeboard.accounts.views.blueprint import bp
from tradeboard.accounts.views.mailbox import limit_mailbox
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

PER_LINE = "20 per hour"
PER_ACCOUNT = "10 per day"


@bp.route("/me/email", methods=["GET", "POST"])
def change_email():
    """Ask for another address; free, taken and listed ones get the same answer."""
    form = ChangeEmailForm()
    if request.method == "GET":
        return _page(form)
    if not form.validate_on_submit():
        return _page(form), 422
    throttling.limit_own_password(current_user.id)
    if not _is_right(form):
        return _page(form), 422
    throttling.limit_each(
        throttling.Rate("change-email", throttling.network(), PER_LINE),
        throttling.Rate("change-email-account", str(current_user.id), PER_ACCOUNT),
    )
    limit_mailbox(form.email.data)
    try:
        answer = act(form.submit_id.data, lambda: _ask(form))
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form), 422
    flash(_("メールを送りました。届いたメールのリンクを開くと、変更が済みます。"), "ok")
    return answer


@bp.post("/me/email/withdraw")
def withdraw_email():
    """Leave the address as it is; the mailed link is good no more."""
    if not ButtonForm().validate_on_submit():
        return _page(ChangeEmailForm(formdata=None)), 422
    with transaction():
        address.withdraw(by=current_user, now=clock.now())
    flash(_("変更を取りやめました。いまのアドレスのままです。"), "ok")
    return redirect(url_for("accounts.change_email"), 303)


def _is_right(form) -> bool:
    """Check both fields and show each mistake beside its own."""
    try:
        address.check(form.email.data, by=current_user)
    except RuleBroken as refusal:
        form.refuse(refusal)
    try:
        sessions.check_own_password(current_user, form.password.data)
    except RuleBroken as refusal:
        form.refuse(refusal)
    return not form.errors


def _ask(form) -> str:
    address.ask(form.email.data, by=current_user, now=clock.now())
    return url_for("accounts.change_email")


def _page(form):
    return render_template(
        "accounts/email.html",
        form=form,
        account=current_user,
        pending=mailboxes.pending_change(current_user.id, now=clock.now()),
        leave=ButtonForm(formdata=None),
    )
