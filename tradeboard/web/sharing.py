"""Pages that are the same for many people: kept for a moment, answered with 304.

A page is kept under all that it depends on: address, what its frame shows of the
reader (`shell.shown_of_reader`), and what the view names. The one thing in it that is
somebody's own, the token of forms, is put in when it is sent. Never kept is a page with
something said once, one for who just wrote, and an answer that is not 200. A page may
be older by `FRESH_FOR_S` than what it shows: with a replica's two seconds that is less
than the five within which a hidden listing must be gone.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from flask import Response, current_app, g, request, session
from flask_login import current_user
from flask_wtf.csrf import generate_csrf

from tradeboard.core.kept import Kept
from tradeboard.core.records import dataclass
from tradeboard.web import access, shell
from tradeboard.web.replica import just_wrote

FRESH_FOR_S = 2.5
MOST = 400
MOST_BYTES = 16 * 1024 * 1024
LONGEST_QUERY = 600
SAID_ONCE = "_flashes"
# What makes a session somebody's: who it is, and what is said once.
PERSONAL = frozenset({access.SESSION_KEY, SAID_ONCE})
Found = TypeVar("Found")
MOMENT = re.compile(rb' data-now="[^"]*"')
# Stands in kept pages where each reader's own token belongs; nobody can know it.
GAP = secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Page:
    """A page as it is sent, the token of forms left out between its parts."""

    parts: tuple[bytes, ...]
    etag: str


_pages: Kept[Hashable, Page] = Kept(FRESH_FOR_S, MOST, MOST_BYTES)
_found: Kept[Hashable, tuple[float, Any]] = Kept(FRESH_FOR_S, MOST)


def answer(render: Callable[[], str], *depends_on: Hashable) -> Response:
    """Answer with a page, kept from a moment ago if it may be; or with 304.

    `depends_on` is what the page depends on beside address and frame. For a member the
    view must name what it shows of that member, or call `answer_anew`.
    """
    if is_anybodys():
        return _for_anybody(render, depends_on)
    if is_members():
        return _for_member(render, depends_on)
    return answer_anew(render)


def answer_anew(render: Callable[[], str]) -> Response:
    """Answer with a page that is made for this reader alone."""
    return current_app.make_response(render())


def _for_anybody(render: Callable[[], str], depends_on: Hashable) -> Response:
    asked_at = time.monotonic()
    key = _key(depends_on)
    page = _pages.find(key, at=asked_at)
    if page is None:
        content = render().encode()
        page = Page((content,), _etag_of(content))
        if is_anybodys() and not _shows_own_token():  # Still: now it is known.
            _keep(key, page, asked_at)
    if request.if_none_match.contains_weak(page.etag):
        response = Response(status=304)
    else:
        response = Response(page.parts[0], mimetype="text/html")
    response.set_etag(page.etag, weak=True)
    return response


def _shows_own_token() -> bool:
    """Tell whether a form on the page was given the token of this reader's session."""
    return current_app.config["WTF_CSRF_FIELD_NAME"] in g


def _for_member(render: Callable[[], str], depends_on: Hashable) -> Response:
    asked_at = time.monotonic()
    key = _key(depends_on)
    page = _pages.find(key, at=asked_at)
    if page is None:
        page = Page(_with_gaps(render), "")
        _keep(key, page, asked_at)
    if len(page.parts) == 1:
        return Response(page.parts[0], mimetype="text/html")
    own = generate_csrf().encode()
    return Response(own.join(page.parts), mimetype="text/html")


def _with_gaps(render: Callable[[], str]) -> tuple[bytes, ...]:
    """Render without anybody's token: forms find the gap where they look for it."""
    name = current_app.config["WTF_CSRF_FIELD_NAME"]
    own = g.pop(name, None)
    setattr(g, name, GAP)
    try:
        content = render()
    finally:
        g.pop(name)
        if own is not None:
            setattr(g, name, own)
    return tuple(content.encode().split(GAP.encode()))


def _key(depends_on: Hashable) -> Hashable:
    return _address(), shell.shown_of_reader(), depends_on


def _keep(key: Hashable, page: Page, asked_at: float) -> None:
    """Keep a page, as old as the oldest that was found for it."""
    since = min(asked_at, g.pop("found_at", asked_at))
    size = sum(map(len, page.parts))
    _pages.keep(key, page, asked_at=since, size=size)


def found(key: Hashable, find: Callable[[], Found]) -> Found:
    """Return what is the same for everybody, for whatever pages show it.

    Who just wrote something gets it anew. A page that is kept with it is as old as it.
    """
    asked_at = time.monotonic()
    kept = None if just_wrote() else _found.find(key, at=asked_at)
    if kept is not None:
        since, known = kept
        g.found_at = min(since, g.get("found_at", since))
        return known
    new = find()
    _found.keep(key, (asked_at, new), asked_at=asked_at)
    return new


def is_anybodys() -> bool:
    """Tell whether this request gets what any visitor gets."""
    if not _is_short_reading():
        return False
    name = current_app.config["SESSION_COOKIE_NAME"]
    if name not in request.cookies and not session.modified:
        return True
    return PERSONAL.isdisjoint(session) and not just_wrote()


def is_members() -> bool:
    """Tell whether this request gets what any member gets, but for the own token."""
    if not _is_short_reading() or SAID_ONCE in session or just_wrote():
        return False
    return not g.get("outage") and current_user.is_authenticated


def _is_short_reading() -> bool:
    is_reading = request.method in ("GET", "HEAD")
    return is_reading and len(request.query_string) <= LONGEST_QUERY


def _address() -> tuple[str, ...]:
    query = request.query_string.decode("latin-1")
    return request.host, request.root_path, request.path, query


def _etag_of(content: bytes) -> str:
    without_moment = MOMENT.sub(b"", content, count=1)
    return hashlib.sha256(without_moment).hexdigest()[:24]
