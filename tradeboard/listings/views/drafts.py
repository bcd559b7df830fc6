"""A draft: one form whose buttons say what they do; a review; then the board."""

from flask import current_app, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user
from werkzeug.exceptions import RequestEntityTooLarge

from tradeboard.core import clock
from tradeboard.core.errors import NotFound, Refusal, RuleBroken
from tradeboard.listings import forms, queries, reading, services
from tradeboard.listings.rules import ListingState
from tradeboard.listings.views import draft_page, spared
from tradeboard.listings.views.blueprint import bp, listing_url
from tradeboard.listings.views.taking import refused, take
from tradeboard.terms import interlude
from tradeboard.web.access import know_sender, sent_by_number
from tradeboard.web.acting import act
from tradeboard.web.error_pages import show_http_error, words
from tradeboard.web.fields import ButtonForm, submit_id


@bp.get("/listings/new")
def new():
    """Show an empty form; nothing is kept before somebody sends it."""
    form, as_before = draft_page.empty_form()
    return draft_page.page(form, None, as_before=as_before)


@bp.post("/listings/new")
def start():
    """Begin a draft with what was typed and picked."""
    return take(None)


@bp.get("/listings/drafts/<int:listing_id>")
def draft(listing_id: int):
    """Show a draft as it was left."""
    listing = queries.get_own(current_user.id, listing_id)
    if listing.state is not ListingState.DRAFT:
        return redirect(url_for(".show", listing_id=listing_id), 303)
    return draft_page.page(forms.of_draft(listing.form), listing)


@bp.post("/listings/drafts/<int:listing_id>")
def save(listing_id: int):
    """Keep what was typed and picked, and do what the button says."""
    return take(listing_id)


@bp.get("/listings/drafts/<int:listing_id>/review")
def review(listing_id: int):
    """Show the listing as others will see it, before it is posted."""
    listing = queries.get_own(current_user.id, listing_id)
    if listing.state is not ListingState.DRAFT:
        return redirect(url_for(".show", listing_id=listing_id), 303)
    form = forms.of_draft(listing.form, token=False)
    if not form.validate():
        return redirect(url_for(".draft", listing_id=listing_id), 303)
    return render_template(
        "listings/review.html",
        listing=listing,
        data=form.written(),
        tile=draft_page.tile_of(listing.form, listing.photos),
        button=ButtonForm(),
    )


@bp.post("/listings/drafts/<int:listing_id>/post")
@sent_by_number
def post(listing_id: int):
    """Post a draft; the terms are asked for while it is safe."""
    if interlude.BOX in request.form:  # Agreeing is a change of its own.
        know_sender()
        queries.get_draft(current_user.id, listing_id)
        paused = interlude.pause()
        if paused is not None:
            return paused
    by_id, target = current_user.id, listing_url(listing_id)

    def publish() -> str:
        now = clock.now()
        state = services.post_as_typed(listing_id, reading.read, by_id=by_id, now=now)
        if state is ListingState.AWAITING_EMAIL:
            flash(_("メールアドレスの確認が済むと公開します。"), "info")
        elif state is ListingState.HIDDEN:
            flash(_("運営が確認してから公開します。"), "info")
        else:
            flash(_("募集を出しました。"), "ok")
        return target

    try:
        return act(submit_id(), publish, leads_to=target)
    except Refusal as refusal:
        return _not_posted(listing_id, refusal)


def _not_posted(listing_id: int, refusal: Refusal):
    """Lead to what was posted before, ask for agreement, or show what is wrong."""
    know_sender()
    listing = queries.get_own(current_user.id, listing_id)
    if listing.state is not ListingState.DRAFT:
        return redirect(url_for(".show", listing_id=listing_id), 303)
    paused = interlude.pause()
    if paused is not None:
        return paused
    form = forms.of_draft(listing.form)
    if form.validate():
        if not isinstance(refusal, RuleBroken):
            raise refusal
        form.refuse(refusal)
    return refused(form, listing_id)


@bp.route("/listings/drafts/<int:listing_id>/discard", methods=["GET", "POST"])
def discard(listing_id: int):
    """Ask once, then throw a draft away."""
    form = ButtonForm()
    if not form.validate_on_submit():
        listing = queries.get_draft(current_user.id, listing_id)
        return render_template("listings/discard.html", listing=listing, form=form)

    def throw_away() -> str:
        services.discard(listing_id, by=current_user, now=clock.now())
        flash(_("下書きを破棄しました。"), "ok")
        return url_for(".mine")

    return act(form.submit_id.data, throw_away)


def answer_too_large(error: RequestEntityTooLarge):
    """Name the limit, and give the form back with all that was typed."""
    if request.endpoint not in ("listings.start", "listings.save"):
        return show_http_error(error)
    typed = spared.form_without_files(current_app, request)
    if typed is None or not current_user.is_authenticated:
        return show_http_error(error)
    form = forms.ListingForm(formdata=typed)
    listing_id = (request.view_args or {}).get("listing_id")
    try:
        listing = queries.get_draft(current_user.id, listing_id) if listing_id else None
    except NotFound:
        return show_http_error(error)
    form = forms.of_draft(form.typed())
    return draft_page.page(form, listing, [words(413)]), 413


bp.register_error_handler(413, answer_too_large)
