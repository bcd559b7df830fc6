"""The mailed link that confirms an address, and opens what waited for it."""

from flask import flash, redirect, render_template, url_for
from flask_babel import gettext as _

from tradeboard.accounts.services import registration
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
