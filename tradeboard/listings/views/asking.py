"""Read a search from the address, say it in words, and remember the last visit."""

from datetime import UTC, datetime, timedelta
from typing import Any

from flask import current_app, request, url_for
from flask_babel import gettext as _

from tradeboard.listings.rules import search
from tradeboard.listings.rules.search import Filters
from tradeboard.listings.views.blueprint import in_words, viewer
from tradeboard.web import cookies

VISIT = timedelta(minutes=30)
# Within a visit the moment of it is noted so often, not with each page.
NOTED_EVERY = timedelta(minutes=5)
A_YEAR = 365 * 24 * 3600


def asked_for() -> dict[str, str]:
    """Return the search of this address; a visitor has no cards to be asked for."""
    asked = search.read(request.args)
    return asked if viewer() else search.without(asked, search.BY_MEMBER)


def filters_of(asked: dict[str, str], now: datetime) -> Filters:
    """Return what a search asks for, here and now."""
    who = viewer()
    return search.filters(
        asked, viewer_id=who.id if who else None, since=last_visit(now)
    )


def address(asked: dict[str, str], after: str | None = None) -> str:
    """Return where a search is shown; its keys are of our own list."""
    values: dict[str, Any] = {**asked, "after": after}
    return url_for("listings.board", **values)


def in_short(key: str, value: str) -> str:
    """Say one condition of a search in words."""
    if key == "cond":
        grades = "・".join(search.CONDITIONS[value])
        return _("カードの状態 %(grades)s", grades=grades)
    if key == "lang":
        return in_words(value, "card_language")
    said = {
        "ship": _("海外へも発送"),
        "photo": _("写真つき"),
        "mine": _("持っているカードを求めている"),
        "new": _("前回のあとに出た"),
    }
    return said.get(key, value)


def chips(asked: dict[str, str]) -> list[tuple[str, str]]:
    """Return each condition in words, with the address without it."""
    return [
        (in_short(key, value), address(search.without(asked, key)))
        for key, value in asked.items()
    ]


def last_visit(now: datetime) -> datetime | None:
    """Return when this browser was last here, before the visit that it is on."""
    last, _, present = _visit_cookie().partition("|")
    this = _instant(present)
    if this is None:
        return None
    return this if now - this > VISIT else _instant(last)


def remember_visit(answer, now: datetime) -> None:
    """Note that this browser is here now, and when it was here before."""
    noted = _instant(_visit_cookie().partition("|")[2])
    if noted is not None and timedelta(0) <= now - noted < NOTED_EVERY:
        return
    last = last_visit(now)
    kept = last.isoformat() if last else ""
    answer.set_cookie(
        cookies.name_of("visit"),
        f"{kept}|{now.isoformat()}",
        max_age=A_YEAR,
        httponly=True,
        samesite="Lax",
        secure=current_app.config["SESSION_COOKIE_SECURE"],
    )


def _visit_cookie() -> str:
    return request.cookies.get(cookies.name_of("visit"), "")


def _instant(text: str) -> datetime | None:
    try:
        instant = datetime.fromisoformat(text)
        return instant.astimezone(UTC) if instant.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
