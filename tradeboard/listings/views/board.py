"""The board and the page of one listing: open to everybody."""

from datetime import datetime, timedelta
from typing import Any

from flask import current_app, make_response, render_template, request, url_for
from flask_babel import gettext as _

from tradeboard.core import clock, folding, paging
from tradeboard.core.states import may
from tradeboard.listings import queries, rules
from tradeboard.listings.queries import Filters
from tradeboard.listings.rules import ListingState
from tradeboard.listings.views.blueprint import bp, in_words, viewer
from tradeboard.web.access import public
from tradeboard.web.fields import ButtonForm

CONDITIONS = {"ab": ("A", "B"), "cd": ("C", "D")}
LANGUAGES = ("ja", "en", "other")
KEYS = ("q", "game", "cond", "lang", "ship", "photo")
VISIT = timedelta(minutes=30)
A_YEAR = 365 * 24 * 3600


@bp.get("/")
@public
def board():
    """Show the board: the address is the whole state of the search."""
    asked = _asked()
    after = paging.decode(request.args.get("after"))
    page = queries.board_page(_filters(asked), after)
    last = _last_visit(clock.now())
    plain = not asked and after is None
    answer = make_response(
        render_template(
            "listings/board.html",
            asked=asked,
            tiles=page.rows,
            count=queries.count_board(_filters(asked)),
            counted=queries.board.COUNTED,
            fresh=queries.count_posted_since(last) if plain and last else 0,
            chips=_chips(asked),
            games=queries.games(),
            more=_address(asked, after=page.after) if page.after else None,
        )
    )
    _remember_visit(answer, last, clock.now())
    return answer


@bp.get("/listings/<int:listing_id>")
@public
def show(listing_id: int):
    """Show one listing."""
    listing = queries.get_visible(listing_id, viewer())
    return render_template("listings/show.html", **page_of(listing))


def page_of(listing) -> dict:
    """Return what the page of a listing needs."""
    who = viewer()
    return {
        "listing": listing,
        "title": queries.title_of(listing),
        "wants": queries.wishes_of(listing),
        "may": lambda event: may(rules.LISTING, listing.state, event),
        "own": who is not None and who.id == listing.owner_id,
        "may_deal": listing.state is ListingState.OPEN,
        "button": ButtonForm(),
        "base": current_app.config["PUBLIC_URL"],
    }


def _address(asked: dict[str, str], after: str | None = None) -> str:
    """Return where a search is shown; its keys are of our own list."""
    values: dict[str, Any] = {**asked, "after": after}
    return url_for(".board", **values)


def _asked() -> dict[str, str]:
    """Return the search of the address; what was made up is left out."""
    choices = {
        "cond": CONDITIONS,
        "lang": LANGUAGES,
        "ship": ("abroad",),
        "photo": ("1",),
    }
    asked = {}
    for key in KEYS:
        value = " ".join(request.args.get(key, "")[: folding.LONGEST_SEARCH].split())
        if value and value in choices.get(key, (value,)):
            asked[key] = value
    return asked


def _filters(asked: dict[str, str]) -> Filters:
    return Filters(
        terms=folding.terms(asked.get("q", "")),
        conditions=CONDITIONS.get(asked.get("cond", ""), ()),
        language=asked.get("lang", ""),
        abroad="ship" in asked,
        photo="photo" in asked,
        game=asked.get("game", ""),
    )


def _chips(asked: dict[str, str]) -> list[tuple[str, str]]:
    """Return each condition in words, with the address without it."""
    words = {
        "q": lambda value: value,
        "game": lambda value: value,
        "cond": lambda value: _(
            "カードの状態 %(grades)s", grades="・".join(CONDITIONS[value])
        ),
        "lang": lambda value: in_words(value, "card_language"),
        "ship": lambda _value: _("海外へも発送"),
        "photo": lambda _value: _("写真つき"),
    }
    chips = []
    for key, value in asked.items():
        rest = {other: kept for other, kept in asked.items() if other != key}
        chips.append((words[key](value), _address(rest)))
    return chips


def _last_visit(now: datetime) -> datetime | None:
    """Return when this browser was last here, before the visit that it is on."""
    last, _, present = request.cookies.get("visit", "").partition("|")
    this = _instant(present)
    if this is None:
        return None
    return this if now - this > VISIT else _instant(last)


def _remember_visit(answer, last: datetime | None, now: datetime) -> None:
    kept = last.isoformat() if last else ""
    answer.set_cookie(
        "visit",
        f"{kept}|{now.isoformat()}",
        max_age=A_YEAR,
        httponly=True,
        samesite="Lax",
        secure=current_app.config["SESSION_COOKIE_SECURE"],
    )


def _instant(text: str) -> datetime | None:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        return None
    return instant if instant.tzinfo is not None else None
