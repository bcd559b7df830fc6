"""The own browsers: what they are called, where one is signed in, and signing out."""

from flask import flash, g, make_response, redirect, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts import queries
from tradeboard.accounts.forms import DeviceNameForm
from tradeboard.accounts.rules.devices import parse_code
from tradeboard.accounts.services import device_names, sessions
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm


@bp.get("/me/devices")
def devices():
    """Show the own browsers and where one is signed in."""
    return _page()


@bp.post("/me/devices/sign-out")
def sign_out_others():
    """End every session but this one."""
    with transaction():
        sessions.sign_out_everywhere(
            current_user.id, but=g.session_hash, now=clock.now()
        )
    flash(_("ほかの端末からログアウトしました。"), "ok")
    return redirect(url_for("accounts.devices"), 303)


@bp.post("/me/devices/<code>/name")
def name_device(code):
    """Call one of the own browsers something."""
    device = _own(code)
    form = DeviceNameForm()
    if not form.validate_on_submit():
        return _page(device.id, form, 422)

    def verb():
        device_names.name_device(_own(code), form.name.data or "", by=current_user)
        return url_for("accounts.devices")

    try:
        return act(form.submit_id.data, verb)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(_own(code).id, form, 422)


@bp.post("/me/devices/<code>/sign-out")
def sign_out_device(code):
    """End every session of one browser, also the one that asks."""

    def verb():
        device = _own(code)
        sessions.sign_out_device(current_user.id, device.id, now=clock.now())
        return url_for("accounts.devices")

    answer = act(ButtonForm().submit_id.data, verb)
    flash(_("端末 %(code)s からログアウトしました。", code=code), "ok")
    return answer


def _own(code):
    plain = parse_code(code)
    if plain is None:
        raise NotFound("この端末は見つかりません。")
    return queries.get_own_device(current_user.id, plain)


def _page(device_id=None, form=None, status=200):
    """Render the page; `form` is the one that was refused, of that device."""
    now = clock.now()
    found = queries.own_devices(current_user.id, now=now)
    name_forms = {
        one.id: form
        if one.id == device_id
        else DeviceNameForm(formdata=None, data={"name": one.name})
        for one in found
    }
    for number, its in name_forms.items():
        its.name.id = f"name-{number}"
    open_sessions = queries.sessions_of(current_user.id, now=now)
    page = render_template(
        "accounts/devices.html",
        devices=found,
        name_forms=name_forms,
        refused=form,
        sessions=open_sessions,
        this_device=next(
            (s.device_id for s in open_sessions if s.token_hash == g.session_hash), None
        ),
        this_session=g.session_hash,
        new_button=lambda: ButtonForm(formdata=None),
    )
    return make_response(page, status)
