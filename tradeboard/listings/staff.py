"""What moderators do to a listing."""

from collections.abc import Callable

from flask import Blueprint, Flask, current_app, flash, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock
from tradeboard.core.errors import NotAllowed, RuleBroken
from tradeboard.listings import queries, services
from tradeboard.listings.forms import HideForm
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

bp = Blueprint("listings_staff", __name__)
bp.before_request(access.require_staff)


def init_app(app: Flask, may_judge: Callable[..., bool]) -> None:
    """Say who of staff is near to whom, which trades know."""
    app.extensions["may_judge_owners"] = may_judge


def _leave_near_ones(listing) -> None:
    """Keep whoever has traded with an owner from deciding about the listings."""
    may_judge = current_app.extensions["may_judge_owners"]
    if not may_judge(current_user, [listing.owner_id]):
        raise NotAllowed("この募集は、ほかの担当者に任せてください。")


@bp.route("/desk/listings/<int:listing_id>/hide", methods=["GET", "POST"])
@access.permits(Act.HIDE_LISTINGS)
def hide(listing_id: int):
    """Take a listing off the board, with a reason that its owner sees."""
    form = HideForm()

    def take_off() -> str:
        _leave_near_ones(queries.get_listing(listing_id))
        reason = form.reason.data or ""
        services.hide(listing_id, reason, by=current_user, now=clock.now())
        flash(_("募集を非表示にしました。"), "ok")
        return url_for("listings.show", listing_id=listing_id)

    status = 200
    if form.is_submitted():
        status = 422
        if form.validate():
            try:
                return act(form.submit_id.data, take_off)
            except RuleBroken as refusal:
                form.refuse(refusal)
    listing = queries.get_visible(listing_id, current_user)
    title = queries.title_of(listing)
    page = render_template(
        "listings/staff/hide.html", listing=listing, title=title, form=form
    )
    return page, status


@bp.post("/desk/listings/<int:listing_id>/restore")
@access.permits(Act.HIDE_LISTINGS)
def restore(listing_id: int):
    """Put a hidden listing back to where it was."""

    def put_back() -> str:
        _leave_near_ones(queries.get_listing(listing_id))
        now = clock.now()
        listing = services.restore(listing_id, by=current_user, now=now)
        is_new = listing.posted_at == now  # It had been held.
        said = _("募集を公開しました。") if is_new else _("募集を元に戻しました。")
        flash(said, "ok")
        return url_for("listings.show", listing_id=listing_id)

    return act(ButtonForm().submit_id.data, put_back)
