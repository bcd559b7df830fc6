"""People as moderators see them: find, warn, suspend, write down."""

from datetime import timedelta

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.forms import SuspendForm
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import second_factor
from tradeboard.accounts.services.looking import LOOK
from tradeboard.audit import queries as audit
from tradeboard.core import clock
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.moderation import queries
from tradeboard.moderation import services as moderation
from tradeboard.moderation.forms import FindForm, WhyForm
from tradeboard.moderation.staff import looking
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.reports import queries as reports
from tradeboard.reports import rules as report_rules
from tradeboard.reports import services
from tradeboard.reports.forms import RemarkForm, WarnForm
from tradeboard.web import access
from tradeboard.web.acting import act


@bp.get("/people")
@access.permits(Act.READ_PEOPLE)
def people():
    """Offer to find somebody; a handle in the address leads on at once."""
    typed = request.args.get("handle", "").strip()
    found = accounts.find_by_handle(typed) if typed else None
    if found is not None:
        return redirect(url_for("desk.person", account_id=found.id), 303)
    form = FindForm(formdata=None)
    form.typed.data = typed
    return _people(form, [] if typed else None)


@bp.post("/people")
@access.permits(Act.READ_PEOPLE)
def find_people():
    """Find by handle, whole e-mail address or device code: they stand in no link."""
    form = FindForm()
    if not form.validate_on_submit():
        return _people(form, None), 422
    typed = form.typed.data or ""
    ids = [account.id for account in queries.find_people(typed)]
    looking.at_found(ids)
    if len(ids) == 1:
        return redirect(url_for("desk.person", account_id=ids[0]), 303)
    return _people(form, queries.find_people(typed) if ids else [])


def _people(form, found):
    return render_template("moderation/people.html", form=form, found=found)


@bp.get("/people/<int:account_id>")
@access.permits(Act.READ_PEOPLE)
def person(account_id):
    """Show what moderators need; address and numbers are masked."""
    looking.at_person(account_id)
    return _page(account_id)


@bp.get("/people/<handle>")
@access.permits(Act.READ_PEOPLE)
def person_by_handle(handle):
    """Lead from a handle, present or former, to the person."""
    found = accounts.find_by_handle(handle)
    if found is None:
        raise NotFound("そのアカウントは見つかりません。")
    return redirect(url_for("desk.person", account_id=found.id), 303)


@bp.post("/people/<int:account_id>/suspend")
@access.permits(Act.SUSPEND)
def suspend(account_id):
    """Suspend an account, with a reason and an end."""
    form = SuspendForm()
    if not form.validate_on_submit() or not form.reason.data:
        if not form.errors:
            form.refuse(RuleBroken("理由を選んでください", field="reason"))
        return _page(account_id, suspend=form), 422
    now = clock.now()
    days = int(form.days.data) if form.days.data else None
    until = now + timedelta(days=days) if days else None

    def verb():
        reason, why = form.reason.data, form.why.data or ""
        moderation.suspend(
            account_id, reason, why, until=until, by=current_user, now=now
        )

    try:
        return _done(account_id, form, verb, _("アカウントを停止しました。"))
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(account_id, suspend=form), 422


@bp.post("/people/<int:account_id>/restore")
@access.permits(Act.LIFT_SUSPENSIONS)
def restore_person(account_id):
    """End a suspension before its time, with a reason; other causes stay."""
    form = WhyForm()

    def verb():
        why = form.why.data or ""
        moderation.lift_suspension(account_id, why, by=current_user, now=clock.now())

    return _why(account_id, form, verb, _("停止を解除しました。"), name="lift")


@bp.post("/people/<int:account_id>/second-factor")
@access.permits(Act.RESET_SECOND_FACTOR)
def reset_second_factor(account_id):
    """Let an admin remove the lost second factor of somebody else."""

    form = WhyForm()

    def verb():
        account = accounts.get_account(account_id)
        why = form.why.data or ""
        second_factor.reset(account, why, by=current_user, now=clock.now())

    return _why(account_id, form, verb, _("2段階認証を解除しました。"), name="lose")


@bp.post("/people/<int:account_id>/warn")
@access.permits(Act.WARN)
def warn(account_id):
    """Tell somebody which rule something broke."""
    form = WarnForm()
    valid, reason = form.validate_on_submit(), form.chosen
    if not valid or reason is None:
        if not form.errors:
            form.refuse(RuleBroken("理由を選んでください", field="reason"))
        return _page(account_id, warn=form), 422

    def verb():
        services.warn(
            account_id,
            reason,
            form.sentence.data,
            by=current_user,
            now=clock.now(),
        )

    return _done(account_id, form, verb, _("警告を送りました。"))


@bp.post("/people/<int:account_id>/remarks")
@access.permits(Act.REMARK)
def add_remark(account_id):
    """Write something down for other moderators."""
    form = RemarkForm()
    if not form.validate_on_submit():
        return _page(account_id, remark=form), 422

    def verb():
        services.remark(account_id, form.words.data, by=current_user, now=clock.now())

    return _done(account_id, form, verb, _("メモを残しました。"))


def _why(account_id, form, verb, said, *, name):
    """Let happen what needs a reason, or show its form again with what is missing."""
    if form.validate_on_submit():
        try:
            return _done(account_id, form, verb, said)
        except RuleBroken as refusal:
            form.refuse(refusal)
    return _page(account_id, **{name: form}), 422


def _done(account_id, form, verb, said):
    """Let it happen once, then show the person again and say so."""

    def happen():
        verb()
        return url_for("desk.person", account_id=account_id)

    answer = act(form.submit_id.data, happen)
    flash(said, "ok")
    return answer


def _page(account_id, suspend=None, warn=None, remark=None, lose=None, lift=None):
    account = accounts.get_account(account_id)
    devices = accounts.own_devices(account_id, now=clock.now())
    return render_template(
        "moderation/person.html",
        account=account,
        masked_email=_masked(account.email),
        restrictions=accounts.restrictions_of(account_id),
        names=accounts.names_of(account_id),
        devices=devices,
        others=accounts.others_on([device.id for device in devices], account_id),
        audited=audit.rows_about(f"account:{account_id}", but=LOOK),
        looks=_looks(account_id),
        record=reports.history(account_id),
        rules=report_rules,
        second_factor=accounts.find_totp(account_id)
        or accounts.passkeys_of(account_id),
        may_suspend=moderation.may_suspend(account, by=current_user),
        is_own=account.id == current_user.id,
        may_reset=current_user.may(Act.RESET_SECOND_FACTOR),
        form=suspend or SuspendForm(formdata=None),
        warn_form=warn or WarnForm(formdata=None),
        remark_form=remark or RemarkForm(formdata=None),
        lift=_named("lift", lift),
        lose=_named("lose", lose),
    )


def _named(name, sent):
    """Return one of the forms that need a reason; there are two on the page."""
    form = sent or WhyForm(formdata=None)
    form.why.id = f"why-{name}"
    return form


def _looks(account_id):
    """Return who of staff has looked at the person's, for those who may read it."""
    if not current_user.may(Act.READ_LOOKS):
        return []
    rows = audit.rows_of(f"account:{account_id}", LOOK)
    handles = queries.handles({row.actor_id for row in rows if row.actor_id})
    return [(row, handles.get(row.actor_id or 0, "")) for row in rows]


def _masked(email: str) -> str:
    """Return an address of which only the first letter and the domain are read."""
    local, _at, domain = email.rpartition("@")
    return f"{local[:1]}***@{domain}"
