"""Pages of moderators: find a person, suspend, restore; of admins: the domains."""

from datetime import timedelta

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts import queries
from tradeboard.accounts.forms import (
    DomainRuleForm,
    RemoveDomainForm,
    SuspendForm,
    TryAddressForm,
)
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules.email import DomainVerdict, check_email
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import domains as domain_list
from tradeboard.accounts.services import second_factor, suspension
from tradeboard.audit import queries as audit
from tradeboard.core import clock
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

bp = Blueprint("accounts_staff", __name__)
bp.before_request(access.require_staff)

DOMAINS = 50


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
    _require_admin()
    form = ButtonForm()

    def verb():
        account = queries.get_account(account_id)
        second_factor.reset(account, by=current_user, now=clock.now())
        return url_for("accounts_staff.person", account_id=account_id)

    answer = act(form.submit_id.data, verb)
    flash(_("2段階認証を解除しました。"), "ok")
    return answer


@bp.get("/desk/domains")
def domains():
    """Show what the operator says of domains, and try an address."""
    return _domains()


@bp.post("/desk/domains")
def add_domain():
    """Put a line on the list, or change it."""
    _require_admin()
    form = DomainRuleForm()
    if not form.validate_on_submit():
        return _domains(form=form), 422
    try:
        answer = act(form.submit_id.data, lambda: _add_domain(form))
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _domains(form=form), 422
    flash(_("一覧を更新しました。"), "ok")
    return answer


def _add_domain(form):
    domain_list.set_rule(
        form.domain.data,
        DomainVerdict(form.verdict.data),
        form.reason.data,
        by=current_user,
        now=clock.now(),
    )
    return url_for("accounts_staff.domains")


@bp.post("/desk/domains/remove")
def remove_domain():
    """Take a line off the list."""
    _require_admin()
    form = RemoveDomainForm()
    if not form.validate_on_submit():
        return _domains(), 422

    def verb():
        domain_list.remove_rule(form.domain.data, by=current_user, now=clock.now())
        return url_for("accounts_staff.domains")

    answer = act(form.submit_id.data, verb)
    flash(_("一覧から消しました。"), "ok")
    return answer


@bp.post("/desk/domains/try")
def try_address():
    """Say what an address would get; it stands in no link and no log."""
    _require_admin()
    form = TryAddressForm()
    if not form.validate_on_submit():
        return _domains(trying=form), 422
    found = check_email(form.address.data, queries.operator_rules())
    return _domains(trying=form, found=found)


def _domains(form=None, trying=None, found=None):
    _require_admin()
    rows = mailboxes.domain_rules(request.args.get("after", ""), limit=DOMAINS + 1)
    page = rows[:DOMAINS]
    after = page[-1][0].domain if len(rows) > DOMAINS else None
    return render_template(
        "accounts/staff/domains.html",
        rules=[
            (rule, handle, RemoveDomainForm(formdata=None, domain=rule.domain))
            for rule, handle in page
        ],
        more=url_for("accounts_staff.domains", after=after) if after else None,
        form=form or DomainRuleForm(formdata=None),
        trying=trying or TryAddressForm(formdata=None),
        found=found,
    )


def _require_admin():
    if current_user.role is not Role.ADMIN:
        raise NotFound("ページが見つかりません。")


def _page(account_id, form=None):
    account = queries.get_account(account_id)
    devices = queries.own_devices(account_id, now=clock.now())
    return render_template(
        "accounts/staff/person.html",
        account=account,
        masked_email=_masked(account.email),
        restrictions=queries.restrictions_of(account_id),
        names=queries.names_of(account_id),
        devices=devices,
        others=queries.others_on([device.id for device in devices], account_id),
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
