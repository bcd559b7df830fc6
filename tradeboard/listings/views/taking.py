"""What becomes of the sent form of a draft: kept first, whatever it says."""

import hashlib
import json
from collections.abc import Callable
from functools import partial

from flask import flash, redirect, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.core import clock, once
from tradeboard.core.errors import Conflict, NotFound, RuleBroken, TooMany
from tradeboard.listings import forms, queries, services
from tradeboard.listings.forms import ListingForm
from tradeboard.listings.models import Listing
from tradeboard.listings.photos import Stored
from tradeboard.listings.rules import states
from tradeboard.listings.views import draft_page
from tradeboard.listings.views.photos import Taken, take_photos
from tradeboard.web.acting import act
from tradeboard.web.languages import translate
from tradeboard.web.readable import whole

PHOTO_VERBS: dict[str, Callable] = {
    "up": partial(services.move_photo, step=-1),
    "down": partial(services.move_photo, step=1),
    "delete": services.drop_photo,
    "restore": services.restore_photo,
}


def take(listing_id: int | None):
    """Save a sent form whatever it says; only then look for mistakes."""
    form = ListingForm()
    listing = queries.get_own(current_user.id, listing_id) if listing_id else None
    taken = take_photos(_room(listing))
    typed, do = _do(form.typed(), request.form.get("do", "draft"))

    def keep() -> str:
        kept = _kept(listing_id, form, typed, do)
        taken.mistakes.extend(_add(kept.id, taken.stored))
        services.describe_photos(kept.id, *_said_of_photos(), by=current_user)
        taken.mistakes.extend(_arrange(kept.id, do))
        return url_for(".draft", listing_id=kept.id, _anchor=_anchor(do))

    # What is typed may become what it was before, so keeping it is never "twice".
    once_only = None if do == "keep" else _fingerprint(form, typed, do, taken)
    try:
        answer = act(once_only, keep)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return draft_page.page(form, listing, taken.mistakes), 422
    kept_id = id_in(answer.location)
    if request.headers.get("HX-Request"):
        return _part(kept_id, do, taken)
    if do == "review" and not taken.mistakes:
        return to_review(kept_id, form)
    if not taken.mistakes:
        return answer
    shown = forms.of_draft(typed)
    if do == "review":
        shown.validate()
    return refused(shown, kept_id, taken.mistakes, taken.status)


def to_review(listing_id: int, form: ListingForm):
    """Lead to the review of a draft without mistakes, or show them."""
    listing = queries.get_draft(current_user.id, listing_id)
    if form.validate():
        try:
            services.check(form.written(listing.photos), by=current_user)
        except RuleBroken as refusal:
            form.refuse(refusal)
        else:
            return redirect(url_for(".review", listing_id=listing_id), 303)
    return refused(form, listing_id)


def refused(form: ListingForm, listing_id: int, mistakes=(), status: int = 422):
    """Show a draft again, with what is wrong about it."""
    listing = queries.get_draft(current_user.id, listing_id)
    return draft_page.page(form, listing, mistakes), status


def id_in(address: str) -> int:
    """Return the number of the draft that an address leads to."""
    return int(address.partition("#")[0].rpartition("/")[2])


def _part(listing_id: int, do: str, taken: Taken):
    """Answer a script, which puts a part of the page in place of the old one."""
    listing = queries.get_draft(current_user.id, listing_id)
    if do == "keep":
        return draft_page.kept(listing)
    answer = draft_page.photo_list(listing, taken.mistakes, _what_happened(do))
    return answer, taken.status if taken.mistakes else 200


def _what_happened(do: str) -> str:
    said = {
        "photo": _("写真を追加しました。"),
        "up": _("写真を前へ動かしました。"),
        "down": _("写真を後ろへ動かしました。"),
        "delete": _("写真を消しました。元に戻せます。"),
        "restore": _("写真を元に戻しました。"),
    }
    return said.get(do.partition(":")[0], "")


def _room(listing: Listing | None) -> int:
    return states.MOST_PHOTOS - (len(listing.photos) if listing else 0)


def _kept(listing_id: int | None, form: ListingForm, typed: dict, do: str) -> Listing:
    """Save into the draft, or into the one that this empty form began."""
    now = clock.now()
    begun = once.find_target(current_user.id, form.submit_id.data)
    for draft_id in (listing_id, id_in(begun) if begun is not None else None):
        if draft_id is None:
            continue
        try:
            return services.save(draft_id, typed, by=current_user, now=now)
        except (Conflict, NotFound) as gone:
            # Posted in another window, or thrown away there: what was typed stays.
            somebody_elses = draft_id == listing_id and isinstance(gone, NotFound)
            if do == "keep" or somebody_elses:
                raise
            flash(_("前の下書きはもうないので、新しい下書きに残しました。"), "info")
    kept = services.start(typed, by=current_user, now=now)
    if begun is None:
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
    verb, _sep, rest = do.partition("-")
    side, _sep, at = rest.partition(":")
    if side not in forms.SIDES:
        return typed, do
    if verb == "add":
        return forms.with_row(typed, side), do
    row = whole(at)
    if verb == "drop" and row is not None:
        return forms.without_row(typed, side, row), do
    return typed, do


def _arrange(listing_id: int, do: str) -> list[str]:
    """Move, drop or restore a photo as the button says; a missing one is let be."""
    verb, _sep, photo_id = do.partition(":")
    arrange = PHOTO_VERBS.get(verb)
    if arrange is None:
        return []
    try:
        arrange(listing_id, photo_id, by=current_user, now=clock.now())
    except NotFound:
        return []
    except RuleBroken as refusal:
        return [translate(refusal.message)]
    return []


def _said_of_photos() -> tuple[dict[str, str], dict[str, str]]:
    """Return what each photo shows, by code and in words."""
    return forms.by_photo("shot-", request.form), {
        photo_id: forms.one_line(words)
        for photo_id, words in forms.by_photo("caption-", request.form).items()
    }


def _anchor(do: str) -> str | None:
    verb, _sep, rest = do.partition("-")
    if verb in ("add", "drop"):
        return rest.partition(":")[0]
    verb = do.partition(":")[0]
    return "photos" if verb == "photo" or verb in PHOTO_VERBS else None


def _fingerprint(form: ListingForm, typed: dict, do: str, taken: Taken) -> str:
    """Tell a form that was sent twice from one that was changed in between."""
    pictures = [photo.sent for photo in taken.stored]
    said = [sorted(of_photos.items()) for of_photos in _said_of_photos()]
    whole_form = [form.submit_id.data, typed, do, pictures, said]
    return hashlib.sha256(json.dumps(whole_form).encode()).hexdigest()
