"""Passkeys in pages: what the device is asked, and what it has to answer to.

What the device is asked stands in the signed cookie until it answers, five minutes at
most; an answer counts once, whoever copies the cookie.
"""

from datetime import UTC, datetime

from flask import Response, abort, current_app, request, session
from flask_login import current_user

from tradeboard.accounts import passkeys, queries
from tradeboard.accounts.forms import PasskeyForm
from tradeboard.accounts.passkeys import Place
from tradeboard.accounts.services import passkeys as services
from tradeboard.accounts.services.passkeys import LATE, Asked
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.web.access import public

ENTER, PROVE, ADD = "enter", "prove", "add"
KEPT = "passkey"


def place() -> Place | None:
    """Return where the passkeys of this board are good, if they can be."""
    return passkeys.place_of(current_app.config["PUBLIC_URL"])


def form_to_show(form) -> PasskeyForm | None:
    """Return the form that sends a passkey instead of that one, if there can be one."""
    if place() is None:
        return None
    given = {"next": form.next.data, "carried": form.carried.data}
    return PasskeyForm(formdata=None, data=given)


def own_form_to_show(form) -> PasskeyForm | None:
    """Do that for somebody signed in who has a passkey."""
    return form_to_show(form) if queries.passkeys_of(current_user.id) else None


@bp.post("/passkey/options")
@public
def passkey_options():
    """Say what the device is asked; the same for everybody who is not signed in."""
    here = place()
    purpose = request.form.get("for", "")
    if here is None or purpose not in (ENTER, PROVE, ADD):
        abort(404)
    if purpose != ENTER and not current_user.is_authenticated:
        abort(403)
    challenge = passkeys.new_challenge()
    user_handle = None
    if purpose == ADD:
        user_handle = services.user_handle_of(current_user.id)
        options = passkeys.options_to_make(
            here,
            challenge,
            user_handle=user_handle,
            handle=current_user.handle,
            site=current_app.config["SITE_NAME"],
            known=_own(),
        )
    else:
        known = _own() if purpose == PROVE else []
        options = passkeys.options_to_show(here, challenge, known)
    session[KEPT] = [purpose, challenge, clock.now().timestamp(), user_handle]
    return Response(options, mimetype="application/json")


def _own() -> list[str]:
    return [row.credential_id for row in queries.passkeys_of(current_user.id)]


def take_asked(purpose: str) -> tuple[Asked, str]:
    """Return what the device was asked for this purpose; the cookie forgets it."""
    here, kept = place(), session.pop(KEPT, None)
    if here is None or not kept or kept[0] != purpose:
        raise RuleBroken(LATE)
    _purpose, challenge, at, user_handle = kept
    asked = Asked(here, challenge, datetime.fromtimestamp(at, UTC))
    return asked, user_handle or ""
