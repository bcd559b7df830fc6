"""The mailed links that confirm or change an address, and open what waited for it."""

from flask import flash, g, redirect, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.services import address, registration
from tradeboard.core import clock
from tradeboard.core.errors import Conflict
from tradeboard.core.transaction import transaction
from tradeboard.listings import services
from tradeboard.listings.views.blueprint import bp, viewer
from tradeboard.web.access import public
from tradeboard.web.fields import ButtonForm


@bp.get("/confirm/<token>")
@public
def confirm(token: str):
    """Show a button; a mail scanner that opens the link uses nothing up."""
    try:
        registration.waiting(token, now=clock.now())
    except Conflict:
        form, status = None, 410
    else:
        form, status = ButtonForm(), 200
    page = render_template("accounts/confirm.html", form=form)
    return page, status, {"Referrer-Policy": "no-referrer"}


@bp.post("/confirm/<token>")
@public
def use(token: str):
    """Confirm the address, and open the listings that waited for it."""
    now = clock.now()
    with transaction():
        account = registration.confirm(token, now=now)
        opened = services.open_awaiting(account.id, now=now)
    flash(_("メールアドレスを確認しました。"), "ok")
    if opened:
        flash(_("待っていた募集を公開しました。"), "ok")
    after = "listings.board" if viewer() else "accounts.login"
    return redirect(url_for(after), 303)


@bp.get("/change-email/<token>")
@public
def confirm_change(token: str):
    """Show the new address and a button; opening the page uses nothing up."""
    try:
        email = address.waiting(token, now=clock.now())
    except Conflict:
        form, email, status = None, None, 410
    else:
        form, status = ButtonForm(), 200
    page = render_template("accounts/confirm_change.html", form=form, email=email)
    return page, status, {"Referrer-Policy": "no-referrer"}


@bp.post("/change-email/<token>")
@public
def use_change(token: str):
    """Change the address; this browser stays signed in if it is that person's own."""
    now = clock.now()
    signed_in = current_user.is_authenticated
    keep = g.session_hash if signed_in else None
    with transaction():
        account = address.change(token, keep=keep, now=now)
        opened = services.open_awaiting(account.id, now=now)
    flash(_("本アドレスを変更しました。ほかの端末はログアウトしました。"), "ok")
    if opened:
        flash(_("待っていた募集を公開しました。"), "ok")
    return redirect(url_for("accounts.me" if signed_in else "accounts.login"), 303)
