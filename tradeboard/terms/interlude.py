"""Ask for agreement in the middle of a page's POST, and then let it go on.

Views call it after the draft is safe and before their own transaction.
"""

from contextlib import suppress
from urllib.parse import urlsplit

from flask import Response, make_response, render_template, request
from flask_login import current_user
from sqlalchemy.exc import IntegrityError

from tradeboard.core import clock
from tradeboard.core.transaction import transaction
from tradeboard.terms import queries, rules, services, texts
from tradeboard.terms.models import TermsVersion
from tradeboard.web import origins
from tradeboard.web.access import safe_next

BOX, ASKED, BACK = "agree_terms", "agree_asked", "agree_back"
NOT_CARRIED = frozenset({BOX, ASKED, BACK, "csrf_token"})


def pause(back: str | None = None) -> Response | None:
    """Return the page of agreement, or None when the person agreed, now or before.

    It carries every typed field and posts to the same address. `back` is where the
    way out leads; without it, to the page that the form stood on.
    """
    if not rules.is_due(*queries.numbers_for(current_user.id)):
        return None
    newest = queries.newest()
    if newest is None:
        return None
    if request.form.get(BOX) == str(newest.number):
        _agree(newest.number)
        return None
    return _page(newest, back or _page_before())


def _agree(number: int) -> None:
    """Record it; pressed twice at once, the other press has recorded it."""
    with suppress(IntegrityError), transaction():
        services.agree(current_user, number, now=clock.now())


def _page(newest: TermsVersion, back: str) -> Response:
    asked = request.form.get(ASKED) == str(newest.number)
    page = render_template(
        "terms/agree.html",
        version=texts.shown(newest),
        changes=texts.changes_since_agreed(newest),
        box=BOX,
        unseen=[
            (ASKED, newest.number),
            (BACK, back),
            *(
                (name, value)
                for name, value in request.form.items(multi=True)
                if name not in NOT_CARRIED
            ),
        ],
        refused=asked,
        action=request.full_path.rstrip("?"),
        back=back,
    )
    return make_response(page, 422 if asked else 200)


def _page_before() -> str:
    """Return the path of the page that the form stood on, or the board's."""
    ours = origins.is_ours(request.referrer)
    path = urlsplit(request.referrer or "").path if ours else None
    return safe_next(request.form.get(BACK)) or safe_next(path) or "/"
