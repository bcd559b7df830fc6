"""The admins' list of e-mail domains, and what an address would get."""

from flask import Blueprint, flash, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts import queries
from tradeboard.accounts.forms import DomainRuleForm, RemoveDomainForm, TryAddressForm
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules.email import DomainVerdict, check_email
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import domains as domain_list
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.web import access
from tradeboard.web.acting import act

bp = Blueprint("accounts_staff", __name__)
bp.before_request(access.require_staff)

DOMAINS = 50


@bp.get("/desk/domains")
@access.permits(Act.RULE_DOMAINS)
def domains():
    """Show what the operator says of domains, and try an address."""
    return _domains()


@bp.post("/desk/domains")
@access.permits(Act.RULE_DOMAINS)
def add_domain():
    """Put a line on the list, or change it."""
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
@access.permits(Act.RULE_DOMAINS)
def remove_domain():
    """Take a line off the list, with a reason."""
    form = RemoveDomainForm()
    if not form.validate_on_submit():
        return _domains(removing=form), 422

    def verb():
        name, why = form.domain.data or "", form.why.data or ""
        domain_list.remove_rule(name, why, by=current_user, now=clock.now())
        return url_for("accounts_staff.domains")

    try:
        answer = act(form.submit_id.data, verb)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _domains(removing=form), 422
    flash(_("一覧から消しました。"), "ok")
    return answer


@bp.post("/desk/domains/try")
@access.permits(Act.RULE_DOMAINS)
def try_address():
    """Say what an address would get; it stands in no link and no log."""
    form = TryAddressForm()
    if not form.validate_on_submit():
        return _domains(trying=form), 422
    found = check_email(form.address.data, queries.operator_rules())
    return _domains(trying=form, found=found)


def _domains(form=None, trying=None, found=None, removing=None):
    rows = mailboxes.domain_rules(request.args.get("after", ""), limit=DOMAINS + 1)
    page = rows[:DOMAINS]
    after = page[-1][0].domain if len(rows) > DOMAINS else None
    return render_template(
        "accounts/staff/domains.html",
        rules=[
            (rule, handle, _removing(rule.domain, removing)) for rule, handle in page
        ],
        more=url_for("accounts_staff.domains", after=after) if after else None,
        form=form or DomainRuleForm(formdata=None),
        trying=trying or TryAddressForm(formdata=None),
        found=found,
    )


def _removing(domain, sent):
    """Return the form that takes a line off: the one that was sent, if it is its."""
    is_its = sent is not None and sent.domain.data == domain
    form = sent if is_its else RemoveDomainForm(formdata=None, domain=domain)
    form.why.id = f"why-{domain}"
    return form
