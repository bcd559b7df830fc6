"""The demo's own page: every mail with working links, and a way in as anybody."""

from flask import Blueprint, abort, g, redirect, render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts import queries as accounts
from tradeboard.accounts import totp
from tradeboard.accounts.models import Account, Totp
from tradeboard.accounts.services import sessions
from tradeboard.accounts.views import browser
from tradeboard.core import clock, paging
from tradeboard.core.transaction import transaction
from tradeboard.demo import outbox as mailbox
from tradeboard.web.access import public
from tradeboard.web.fields import ButtonForm
from tradeboard.web.readable import whole

bp = Blueprint("demo", __name__, url_prefix="/dev")


@bp.get("/outbox")
@public
def outbox():
    """Show the newest mails, and everybody who can be signed in as."""
    to = request.args.get("to") or None
    page = mailbox.mails(to, paging.decode(request.args.get("after")))
    more = url_for(".outbox", to=to, after=page.after) if page.after else None
    return render_template(
        "demo/outbox.html",
        mails=[mailbox.shown(mail) for mail in page.rows],
        more=more,
        to=to,
        addresses=mailbox.addresses(),
        people=[(account, _code(row)) for account, row in mailbox.people()],
        form=ButtonForm(),
    )


@bp.post("/sign-in")
@public
def sign_in():
    """Begin a session as somebody, for staff with the second factor."""
    if not ButtonForm().validate_on_submit():
        abort(400)
    account = accounts.get_account(whole(request.form.get("account")) or 0)
    if account.closed_at is not None:
        abort(404)
    browser.begin_session(account, _begin(account))
    following = "desk.index" if account.is_staff else "todo.show"
    return redirect(url_for(following), 303)


def _begin(account: Account) -> str:
    now = clock.now()
    with transaction():
        if current_user.is_authenticated:
            sessions.sign_out(g.session_hash, now=now)
        return sessions.sign_in(
            account,
            device=browser.note_device(account),
            browser=browser.label(),
            second_factor_at=now if account.is_staff else None,
            now=now,
        )


def _code(row: Totp | None) -> str | None:
    """Return what an authenticator app would show now."""
    if row is None:
        return None
    secret = totp.unseal(row.secret, row.account_id)
    return totp.code_at(secret, clock.now())
