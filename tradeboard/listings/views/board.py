"""The board and the page of one listing: open to everybody."""

from datetime import datetime
from functools import partial

from flask import current_app, make_response, render_template, request
from flask_login import current_user

from tradeboard.core import clock, paging
from tradeboard.core.records import dataclass
from tradeboard.core.states import may
from tradeboard.listings import queries, rules
from tradeboard.listings.queries import naming, searches
from tradeboard.listings.queries.pulse import pulse
from tradeboard.listings.rules import ListingState, holding, search
from tradeboard.listings.views import asking
from tradeboard.listings.views.blueprint import bp, viewer
from tradeboard.web import sharing, throttling
from tradeboard.web.access import browsed, public
from tradeboard.web.fields import ButtonForm

SUGGESTIONS = "120 per minute"


@dataclass(frozen=True)
class WayOut:
    """A search that finds something: a condition in words, where, how much.

    The condition is the one that is dropped, or the one that alone is kept.
    """

    words: str
    url: str
    count: int
    alone: bool


@bp.get("/")
@public
@browsed
def board():
    """Show the board: the address is the whole state of the search."""
    now = clock.now()
    asked = asking.asked_for()
    last = asking.last_visit(now)
    since = last if search.BY_VISIT in asked else None
    fresh = _fresh(asked, last)
    page = partial(_page, now, asked, fresh, knows_visit=last is not None)
    if asked and viewer() is not None:  # It shows what this member has saved.
        answer = sharing.answer_anew(page)
    else:
        answer = sharing.answer(page, last is not None, fresh, since)
    asking.remember_visit(answer, now)
    return answer


def _fresh(asked: dict[str, str], last: datetime | None) -> int:
    """Return how many listings have come since the last visit, on the first page."""
    if asked or last is None or "after" in request.args:
        return 0
    return pulse().posted_since(last)


def _page(now: datetime, asked: dict[str, str], fresh: int, knows_visit: bool) -> str:
    known = pulse()
    after = paging.decode(request.args.get("after"))
    filters = asking.filters_of(asked, now)
    count = None if asked else known.count
    search_now = partial(queries.board.search, filters, after, known=count)
    same = (tuple(asked.items()), after, count)
    found = sharing.found(same, search_now) if _is_shared(asked) else search_now()
    more = found.page.after
    shown = len(found.page.rows)
    return render_template(
        "listings/board.html",
        asked=asked,
        tiles=found.page.rows,
        # What is on the page was there, whatever was counted some seconds ago.
        count=shown if not (asked or more or after) else max(found.count, shown),
        counted=queries.board.COUNTED,
        at_least=found.at_least,
        fresh=fresh,
        knows_visit=knows_visit or search.BY_VISIT in asked,
        chips=asking.chips(asked),
        ways_out=_ways_out(asked, now) if not (shown or more) else [],
        games=known.games,
        rarities=known.rarities,
        more=asking.address(asked, after=more) if more else None,
        newest=asking.address(asked) if after else None,
        feed=search.without(asked, search.BY_MEMBER, search.BY_VISIT),
        to_keep=search.to_keep(search.without(asked, search.BY_VISIT)),
        is_kept=_is_kept(asked),
        button=ButtonForm,
    )


def _is_shared(asked: dict[str, str]) -> bool:
    """Tell whether what is found is kept for others: searches, and what members see.

    The whole board is kept for visitors as a page.
    """
    if asked.keys() & {search.BY_MEMBER, search.BY_VISIT}:
        return False
    return bool(asked) or viewer() is not None


@bp.get("/suggest")
@public
def suggest():
    """Suggest names of cards on the board, as a part of a page."""
    throttling.limit("suggest", throttling.network(), SUGGESTIONS)
    names = naming.names_like(request.args.get("q", ""))
    answer = make_response(render_template("listings/_suggestions.html", names=names))
    answer.headers["Cache-Control"] = "private, max-age=60"
    answer.headers["X-Robots-Tag"] = "noindex"
    return answer


@bp.get("/listings/<int:listing_id>")
@public
@browsed
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
        "why_held": holding.WHY,
        "is_public": queries.is_visible(listing, None),
        "button": ButtonForm() if who is not None else None,
        "base": current_app.config["PUBLIC_URL"],
    }


def _ways_out(asked: dict[str, str], now: datetime) -> list[WayOut]:
    """Return what is found without one of the conditions, or else with one alone."""
    if len(asked) < 2:
        return []
    less = {key: search.without(asked, key) for key in asked}
    alone = {key: {key: value} for key, value in asked.items()}
    return _found(asked, less, False, now) or _found(asked, alone, True, now)


def _found(
    asked: dict[str, str],
    searches: dict[str, dict[str, str]],
    alone: bool,
    now: datetime,
) -> list[WayOut]:
    filters = [asking.filters_of(one, now) for one in searches.values()]
    counts = dict(zip(searches, queries.board.count_each(filters), strict=True))
    return [
        WayOut(
            asking.in_short(key, asked[key]), asking.address(one), counts[key], alone
        )
        for key, one in searches.items()
        if counts[key]
    ]


def _is_kept(asked: dict[str, str]) -> bool:
    """Tell whether the member keeps this search already."""
    kept = search.to_keep(search.without(asked, search.BY_VISIT))
    if not kept or not current_user.is_authenticated:
        return False
    return searches.find_same(current_user.id, kept) is not None
