"""How a draft looks: the whole page, and the parts of it that are sent alone."""

from collections.abc import Iterable
from typing import Any

from flask import make_response, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.cards.rules.sides import CardSide
from tradeboard.core.errors import NotFound
from tradeboard.listings import forms, queries
from tradeboard.listings.forms import ListingForm
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import Side, contents, states, wording
from tradeboard.listings.views.blueprint import bp, photo_alt
from tradeboard.terms import queries as terms
from tradeboard.web.readable import whole


@bp.post("/listings/preview")
def preview():
    """Show what is typed as the board would show it; nothing is kept."""
    form = ListingForm()
    draft = _own_draft(whole(request.form.get("draft")))
    photos = draft.photos if draft else []
    return render_template("listings/_look.html", **_look(form.typed(), photos))


def page(
    form: ListingForm,
    listing: Listing | None,
    mistakes: Iterable[str] = (),
    *,
    as_before: bool = False,
) -> str:
    """Show the whole form, with what is wrong about the files that came with it."""
    photos = listing.photos if listing else []
    return render_template(
        "listings/draft.html",
        form=form,
        listing=listing,
        longest_note=states.LONGEST_NOTE,
        agreed=terms.agreed_number(current_user.id),
        newest=terms.newest_number(),
        own_haves=queries.own_card_names(current_user.id, CardSide.HAVE),
        own_wants=queries.own_card_names(current_user.id, CardSide.WANT),
        **_photo_list(listing, mistakes),
        **_look(form.typed(), photos),
        as_before=as_before,
        drafts=0 if listing else queries.count_drafts(current_user.id),
    )


def photo_list(listing: Listing, mistakes: Iterable[str], said: str):
    """Show the photos alone, for a script that puts them in."""
    part = render_template(
        "listings/_photos.html", **_photo_list(listing, mistakes, said)
    )
    return _with_address(part, listing)


def kept(listing: Listing):
    """Say that a draft is safe, for a script that puts it in."""
    part = render_template("listings/_kept.html", listing=listing)
    return _with_address(part, listing)


def tile_of(typed: dict[str, Any], photos: list) -> dict[str, Any]:
    """Return the tile as the board would show it."""

    def named(side: str) -> list[tuple[str, int]]:
        rows = [row for row in typed.get(side, []) if row.get("name")]
        return [(row["name"], _copies(row.get("quantity", ""))) for row in rows]

    first = photos[0] if photos else None
    have = [row for row in typed.get(Side.HAVE, []) if row.get("name")]
    grades = {row["condition"] for row in have if row.get("condition")}
    title = contents.title(named("have"))
    return {
        "state": "open",
        "late": False,
        "url": "#form",
        "title": title or _("（カード名）"),
        "wants": contents.wishes(named("want")),
        "condition": "・".join(sorted(grades)),
        "owner_handle": current_user.handle,
        "owner_completed": current_user.completed_count,
        "photo_url": first and url_for(".photo", photo_id=first.id, width=480),
        "photo_alt": first and photo_alt(first, 1, title),
    }


def _look(typed: dict[str, Any], photos: list) -> dict[str, Any]:
    shown = {photo.alt for photo in photos}
    return {
        "tile": tile_of(typed, photos),
        "has_front": "front" in shown,
        "has_back": "back" in shown,
        "corners_left": len(wording.CORNERS - shown),
    }


def _photo_list(
    listing: Listing | None, mistakes: Iterable[str], said: str = ""
) -> dict[str, Any]:
    return {
        "said": said,
        "photos": listing.photos if listing else [],
        "dropped": queries.dropped_photos(listing.id) if listing else [],
        "mistakes": list(mistakes),
        "shots": wording.SHOTS,
        "most_photos": states.MOST_PHOTOS,
        "longest_caption": states.LONGEST_CAPTION,
        "action": url_for(".draft", listing_id=listing.id)
        if listing
        else url_for(".new"),
    }


def _with_address(part: str, listing: Listing):
    """Let the browser show where this draft is, so that loading again leads to it."""
    answer = make_response(part)
    answer.headers["HX-Replace-Url"] = url_for(".draft", listing_id=listing.id)
    return answer


def _own_draft(listing_id: int | None) -> Listing | None:
    try:
        return queries.get_own(current_user.id, listing_id) if listing_id else None
    except NotFound:
        return None


def _copies(text: str) -> int:
    return whole(text) or 1


def empty_form() -> tuple[ListingForm, bool]:
    """Return an empty form, and whether it says how the last listing was shipped."""
    last = queries.last_shipping(current_user.id)
    first = last or {"ships_from": current_user.prefecture, "ships_to": "domestic"}
    return forms.of_draft(first), last is not None
