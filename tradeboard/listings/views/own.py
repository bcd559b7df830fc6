"""What a member does with posted listings: see them, edit, renew, withdraw."""

from flask import flash, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.core import clock, paging
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.states import may
from tradeboard.listings import forms, queries, rules, services
from tradeboard.listings.forms import ListingForm
from tradeboard.listings.rules import states, wording
from tradeboard.listings.views.blueprint import bp, tell_of_edit
from tradeboard.terms import interlude
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm
from tradeboard.web.readable import whole


@bp.get("/me/listings")
def mine():
    """Show all listings of the member, drafts too, newest first."""
    after = paging.decode(request.args.get("after"))
    page = queries.mine(current_user.id, after)
    return render_template(
        "listings/mine.html",
        listings=page.rows,
        titles={listing.id: queries.title_of(listing) for listing in page.rows},
        may=lambda listing, event: may(rules.LISTING, listing.state, event),
        button=ButtonForm,
        more=url_for(".mine", after=page.after) if page.after else None,
    )


@bp.get("/listings/<int:listing_id>/edit")
def edit(listing_id: int):
    """Show an open listing as a form."""
    listing = _editable(listing_id)
    return _page(forms.of_draft(forms.of_listing(listing)), listing)


@bp.post("/listings/<int:listing_id>/edit")
def change(listing_id: int):
    """Change an open listing; whoever negotiates about it is told how."""
    form = ListingForm()
    do = request.form.get("do", "change")
    verb, _sep, rest = do.partition("-")
    side, _sep, at = rest.partition(":")
    if side in forms.SIDES and verb == "add":
        rows = forms.with_row(form.typed(), side)
        return _page(forms.of_draft(rows), _editable(listing_id))
    row = whole(at)
    if side in forms.SIDES and verb == "drop" and row is not None:
        rows = forms.without_row(form.typed(), side, row)
        return _page(forms.of_draft(rows), _editable(listing_id))
    # The same form, sent again, may find a listing that waits because of it.
    listing = queries.get_own(current_user.id, listing_id)
    paused = interlude.pause()
    if paused is not None:
        return paused
    if not form.validate_on_submit():
        return _page(form, listing), 422
    try:
        return act(form.submit_id.data, lambda: _change(listing_id, form))
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form, _editable(listing_id)), 422


@bp.post("/listings/<int:listing_id>/renew")
def renew(listing_id: int):
    """Keep a listing for 30 days more."""
    form = ButtonForm()

    def keep_on() -> str:
        services.renew(listing_id, by=current_user, now=clock.now())
        flash(_("掲載を30日のばしました。"), "ok")
        return url_for(".show", listing_id=listing_id)

    return act(form.submit_id.data, keep_on)


@bp.route("/listings/<int:listing_id>/withdraw", methods=["GET", "POST"])
def withdraw(listing_id: int):
    """Ask once, then take a listing back."""
    form = ButtonForm()
    if not form.validate_on_submit():
        listing = queries.get_own(current_user.id, listing_id)
        return render_template(
            "listings/withdraw.html",
            listing=listing,
            title=queries.title_of(listing),
            form=form,
        )

    def take_back() -> str:
        services.withdraw(listing_id, by=current_user, now=clock.now())
        flash(_("募集を取り下げました。"), "ok")
        return url_for(".mine")

    return act(form.submit_id.data, take_back)


def _editable(listing_id: int):
    listing = queries.get_own(current_user.id, listing_id)
    if not may(rules.LISTING, listing.state, "edit"):
        raise Conflict("いまの状態では、この募集は変えられません。")
    return listing


def _change(listing_id: int, form: ListingForm) -> str:
    now = clock.now()
    edited = services.edit(listing_id, form.written(), by=current_user, now=now)
    tell_of_edit(listing_id, edited.changes, by=current_user, now=now)
    if edited.listing.held_for:
        flash(_("変更しました。運営が確認してから公開します。"), "info")
    else:
        flash(_("募集を変更しました。"), "ok")
    return url_for(".show", listing_id=listing_id)


def _page(form: ListingForm, listing) -> str:
    return render_template(
        "listings/edit.html",
        form=form,
        listing=listing,
        shots=wording.SHOTS,
        longest_note=states.LONGEST_NOTE,
    )
