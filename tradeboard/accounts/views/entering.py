"""Begin a session, in whichever way somebody proved who that is, and lead on."""

from datetime import datetime

from flask import g, redirect, render_template, url_for
from flask_login import current_user

from tradeboard.accounts import queries
from tradeboard.accounts.forms import CodeForm
from tradeboard.accounts.models import Account
from tradeboard.accounts.services import sessions
from tradeboard.accounts.views import browser, carrying, passkeys
from tradeboard.core import clock
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling
from tradeboard.web.access import safe_next

# One wider network, and all of them together: there are but a million codes.
CODE_TRIES = "10 per 15 minutes"
ACCOUNT_CODE_TRIES = "100 per hour"


def enter(
    account: Account,
    *,
    fresh_hash: str | None = None,
    second_factor_at: datetime | None = None,
) -> None:
    """Begin the session; a browser new to the account is told of."""
    seen, now = browser.recognised(), clock.now()
    is_new = queries.has_any_device(account.id) and not queries.has_used(
        account.id, seen.keys
    )
    with transaction():
        sessions.keep_up(account, fresh_hash)
        device = browser.note_device(account)
        if is_new:
            sessions.tell_of_new_device(account, device, now=now)
        token = sessions.sign_in(
            account,
            device=device,
            browser=browser.label(),
            second_factor_at=second_factor_at,
            now=now,
        )
        g.awaits_factor = second_factor_at is None and sessions.needs_factor(account)
    browser.begin_session(account, token)
    g.second_factor_at = second_factor_at


def go_on(form):
    """Lead to the second factor, a carried form back, others where they were."""
    carried = carrying.read(form.carried.data)
    following = safe_next(form.next.data)
    if g.get("awaits_factor"):
        if carried is not None and queries.has_totp(current_user.id):
            return ask_for_factor(following, form.carried.data)
        return redirect(url_for("accounts.second_factor", next=following), 303)
    if carried is not None:
        return carrying.show_again(carried)
    return redirect(after(following), 303)


def limit_codes() -> None:
    """Count a code of the second factor before it is looked at, or raise TooMany."""
    whose = str(current_user.id)
    throttling.limit_each(
        throttling.Rate(*code_tries()),
        throttling.Rate("second-factor-account", whose, ACCOUNT_CODE_TRIES),
    )


def code_tries() -> tuple[str, str, str]:
    """Return what counts codes of the second factor: from one wider network."""
    whose = f"{current_user.id}|{throttling.wide_network()}"
    return "second-factor", whose, CODE_TRIES


def ask_for_factor(following, carried):
    """Show the page that asks for the second factor; a carried form stays on it."""
    form = CodeForm(formdata=None)
    form.next.data, form.carried.data = following or "", carried or ""
    return factor_page(form)


def factor_page(form, **more):
    """Render the page that asks for the second factor."""
    return render_template(
        "accounts/second_factor.html",
        form=form,
        passkey=passkeys.own_form_to_show(form),
        has_codes=queries.has_totp(current_user.id),
        **more,
    )


def after(following) -> str:
    """Return where somebody goes who has come in."""
    return safe_next(following) or url_for("todo.show")
