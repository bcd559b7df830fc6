"""Pages of moderators: find a person, suspend, restore."""

from datetime import timedelta

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts import queries
from tradeboard.accounts.forms import SuspendForm
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import second_factor, suspension
from tradeboard.audit import queries as audit
from tradeboard.core import clock
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

bp = Blueprint("accounts_staff", __name__)
bp.before_request(access.require_staff)


@bp.get("/desk/people")
def people():
    """Find one person by the exact handle, present or former."""
    typed = request.args.get("handle", "").strip()
    found = queries.find_by_handle(typed) if typed else None
    if found is not None:
        return redirect(url_for("accounts_staff.person", account_id=found.id), 303)
    return render_template("accounts/staff/people.html", typed=typed)


@bp.get("/desk/people/<int:account_id>")
def person(account_id):
    """Show what moderators need; address and numbers are masked."""
    return _page(account_id)


@bp.post("/desk/people/<int:account_id>/suspend")
def suspend(account_id):
    """Suspend an account, with a reason and an end."""
    form = SuspendForm()
    if not form.validate_on_submit() or not form.reason.data:
        if not form.errors:
            form.refuse(RuleBroken("理由を選んでください", field="reason"))
        return _page(account_id, form), 422
    now = clock.now()
    days = int(form.days.data) if form.days.data else None
    until = now + timedelta(days=days) if days else None

    def verb():
        suspension.suspend(
            account_id, form.reason.data, until=until, by=current_user, now=now
        )
        return url_for("accounts_staff.person", account_id=account_id)

    answer = act(form.submit_id.data, verb)
    flash(_("アカウントを停止しました。"), "ok")
    return answer


@bp.post("/desk/people/<int:account_id>/restore")
def restore(account_id):
    """End a suspension; other causes stay."""
    form = ButtonForm()

    def verb():
        suspension.restore(account_id, by=current_user, now=clock.now())
        return url_for("accounts_staff.person", account_id=account_id)

    answer = act(form.submit_id.data, verb)
    flash(_("停止を解除しました。"), "ok")
    return answer


@bp.post("/desk/people/<int:account_id>/second-factor")
def reset_second_factor(account_id):
    """Let an admin remove the lost second factor of somebody else."""
    if current_user.role is not Role.ADMIN:
        raise NotFound("ページが見つかりません。")
    form = ButtonForm()

    def verb():
        account = queries.get_account(account_id)
        second_factor.reset(account, by=current_user, now=clock.now())
        return url_for("accounts_staff.person", account_id=account_id)

    answer = act(form.submit_id.data, verb)
    flash(_("2段階認証を解除しました。"), "ok")
    return answer


def _page(account_id, form=None):
    account = queries.get_account(account_id)
    return render_template(
        "accounts/staff/person.html",
        account=account,
        masked_email=_masked(account.email),
        restrictions=queries.restrictions_of(account_id),
        devices=queries.devices_of(account_id),
        history=audit.rows_about(f"account:{account_id}"),
        second_factor=queries.find_totp(account_id),
        may_suspend=suspension.may_suspend(account, by=current_user),
        is_admin=current_user.role is Role.ADMIN,
        form=form or SuspendForm(formdata=None),
        restore=ButtonForm(formdata=None),
        lose=ButtonForm(formdata=None),
    )


def _masked(email: str) -> str:
    """Return an address of which only the first letter and the domain are read."""
    local, _at, domain = email.rpartition("@")
    return f"{local[:1]}***@{domain}"
