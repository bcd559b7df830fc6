"""A draft: one form whose buttons say what they do; a review; then the board."""

import hashlib
import json

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.core import clock, once
from tradeboard.core.errors import RuleBroken, TooMany
from tradeboard.listings import forms, queries, services
from tradeboard.listings.forms import ListingForm
from tradeboard.listings.photos import Stored
from tradeboard.listings.rules import ListingState, Side, contents, states, wording
from tradeboard.listings.views.blueprint import bp, in_words
from tradeboard.listings.views.photos import take_photos
from tradeboard.terms import interlude
from tradeboard.terms import queries as terms
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm
from tradeboard.web.languages import translate
from tradeboard.web.readable import whole


@bp.get("/listings/new")
def new():
    """Show an empty form; nothing is kept before somebody sends it."""
    form = forms.of_draft({"ships_from": current_user.prefecture})
    return _page(form, None)


@bp.post("/listings/new")
def start():
    """Begin a draft with what was typed and picked."""
    return _take(None)


@bp.get("/listings/drafts/<int:listing_id>")
def draft(listing_id: int):
    """Show a draft as it was left."""
    listing = queries.get_own(current_user.id, listing_id)
    if listing.state is not ListingState.DRAFT:
        return redirect(url_for(".show", listing_id=listing_id), 303)
    return _page(forms.of_draft(listing.form), listing)


@bp.post("/listings/drafts/<int:listing_id>")
def save(listing_id: int):
    """Keep what was typed and picked, and do what the button says."""
    return _take(listing_id)


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
        tile=_preview(listing.form, listing),
        button=ButtonForm(),
    )


@bp.post("/listings/drafts/<int:listing_id>/post")
def post(listing_id: int):
    """Post a draft; the terms are asked for while it is safe."""
    button = ButtonForm()
    posted = url_for(".show", listing_id=listing_id)
    listing = queries.get_own(current_user.id, listing_id)
    if listing.state is not ListingState.DRAFT:
        return redirect(posted, 303)
    paused = interlude.pause()
    if paused is not None:
        return paused
    form = forms.of_draft(queries.get_draft(current_user.id, listing_id).form)
    if not form.validate():
        return _refused(form, listing_id)
    data = form.written()

    def publish() -> str:
        done = services.post(listing_id, data, by=current_user, now=clock.now())
        if done.state is ListingState.AWAITING_EMAIL:
            flash(_("メールアドレスの確認が済むと公開します。"), "info")
        else:
            flash(_("募集を出しました。"), "ok")
        return posted

    try:
        return act(button.submit_id.data, publish)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _refused(form, listing_id)


@bp.route("/listings/drafts/<int:listing_id>/discard", methods=["GET", "POST"])
def discard(listing_id: int):
    """Ask once, then throw a draft away."""
    form = ButtonForm()
    if not form.validate_on_submit():
        listing = queries.get_draft(current_user.id, listing_id)
        return render_template("listings/discard.html", listing=listing, form=form)

    def throw_away() -> str:
        services.discard(listing_id, by=current_user)
        flash(_("下書きを破棄しました。"), "ok")
        return url_for(".mine")

    return act(form.submit_id.data, throw_away)


def _take(listing_id: int | None):
    """Save a sent form whatever it says; only then look for mistakes."""
    form = ListingForm()
    listing = queries.get_draft(current_user.id, listing_id) if listing_id else None
    room = states.MOST_PHOTOS - (len(listing.photos) if listing else 0)
    stored, mistakes = take_photos(room)
    typed, do = _do(form.typed(), request.form.get("do", "draft"))

    def keep() -> str:
        kept = _kept(listing_id, form, typed)
        mistakes.extend(_add(kept.id, stored))
        services.describe_photos(kept.id, _shots(), by=current_user)
        _arrange(kept.id, do)
        return url_for(".draft", listing_id=kept.id, _anchor=_anchor(do))

    answer = act(_fingerprint(form, typed, do, stored), keep)
    kept_id = _id_in(answer.location)
    if mistakes:
        return _refused(forms.of_draft(typed), kept_id, mistakes)
    if do != "review":
        return answer
    return _to_review(kept_id, form)


def _to_review(listing_id: int, form: ListingForm):
    if form.validate():
        try:
            services.check(form.written(), by=current_user)
        except RuleBroken as refusal:
            form.refuse(refusal)
        else:
            return redirect(url_for(".review", listing_id=listing_id), 303)
    return _refused(form, listing_id)


def _kept(listing_id: int | None, form: ListingForm, typed: dict):
    """Save into the draft, or into the one that this empty form began."""
    now = clock.now()
    if listing_id is not None:
        return services.save(listing_id, typed, by=current_user, now=now)
    begun = once.find_target(current_user.id, form.submit_id.data)
    if begun is not None:
        return services.save(_id_in(begun), typed, by=current_user, now=now)
    kept = services.start(typed, by=current_user, now=now)
    target = url_for(".draft", listing_id=kept.id)
    once.remember(current_user.id, form.submit_id.data, target, now=now)
    return kept


def _add(listing_id: int, stored: list[Stored]) -> list[str]:
    mistakes = []
    for photo in stored:
        try:
            services.add_photo(listing_id, photo, by=current_user, now=clock.now())
        except (RuleBroken, TooMany) as refusal:
            mistakes.append(translate(refusal.message))
    return mistakes


def _do(typed: dict, do: str) -> tuple[dict, str]:
    """Add or drop a card as the button says."""
    verb, _, rest = do.partition("-")
    side, _, at = rest.partition(":")
    if side not in forms.SIDES:
        return typed, do
    if verb == "add":
        return forms.with_row(typed, side), do
    row = whole(at)
    if verb == "drop" and row is not None:
        return forms.without_row(typed, side, row), do
    return typed, do


def _arrange(listing_id: int, do: str) -> None:
    """Move or delete a photo as the button says; one that is gone is left alone."""
    verb, _, photo_id = do.partition(":")
    if verb not in ("up", "down", "delete"):
        return
    listing = queries.get_draft(current_user.id, listing_id)
    if photo_id not in {photo.id for photo in listing.photos}:
        return
    who = {"by": current_user, "now": clock.now()}
    if verb == "delete":
        services.delete_photo(listing_id, photo_id, **who)
    else:
        step = -1 if verb == "up" else 1
        services.move_photo(listing_id, photo_id, step, **who)


def _shots() -> dict[str, str]:
    return {
        name.removeprefix("shot-"): code
        for name, code in request.form.items()
        if name.startswith("shot-")
    }


def _anchor(do: str) -> str | None:
    verb, _, rest = do.partition("-")
    if verb in ("add", "drop"):
        return rest.partition(":")[0]
    return (
        "photos" if do.partition(":")[0] in ("photo", "up", "down", "delete") else None
    )


def _fingerprint(form, typed: dict, do: str, stored: list[Stored]) -> str:
    """Tell a form that was sent twice from one that was changed in between."""
    pictures = [photo.digest for photo in stored]
    whole = [form.submit_id.data, typed, do, pictures, sorted(_shots().items())]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


def _id_in(address: str) -> int:
    return int(address.partition("#")[0].rpartition("/")[2])


def _refused(form: ListingForm, listing_id: int, mistakes: list[str] | None = None):
    listing = queries.get_draft(current_user.id, listing_id)
    return _page(form, listing, mistakes or []), 422


def _page(form: ListingForm, listing, mistakes: list[str] | None = None) -> str:
    photos = listing.photos if listing else []
    shown = {photo.alt for photo in photos}
    return render_template(
        "listings/draft.html",
        form=form,
        listing=listing,
        photos=photos,
        mistakes=mistakes or [],
        shots=wording.SHOTS,
        most_photos=states.MOST_PHOTOS,
        longest_note=states.LONGEST_NOTE,
        has_front="front" in shown,
        has_back="back" in shown,
        corners_left=len(wording.CORNERS - shown),
        tile=_preview(form.typed(), listing),
        agreed=terms.agreed_number(current_user.id),
        newest=terms.newest_number(),
        action=url_for(".draft", listing_id=listing.id) if listing else url_for(".new"),
    )


def _preview(typed: dict, listing) -> dict:
    """Return the tile as the board would show it."""

    def cards(side: str) -> list[tuple[str, int]]:
        rows = [row for row in typed.get(side, []) if row.get("name")]
        return [(row["name"], _copies(row.get("quantity", ""))) for row in rows]

    first = listing.photos[0] if listing and listing.photos else None
    have = [row for row in typed.get(Side.HAVE, []) if row.get("name")]
    grades = {row["condition"] for row in have if row.get("condition")}
    return {
        "state": "open",
        "url": "#form",
        "title": contents.title(cards("have")) or _("（カード名）"),
        "wants": contents.wishes(cards("want")),
        "condition": "・".join(sorted(grades)),
        "owner_handle": current_user.handle,
        "owner_completed": current_user.completed_count,
        "photo_url": first and url_for(".photo", photo_id=first.id, width=480),
        "photo_alt": first and in_words(first.alt, "shot"),
    }


def _copies(text: str) -> int:
    return whole(text) or 1
