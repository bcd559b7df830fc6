"""Offers that were begun: their fields are kept until they are sent or left."""

from flask import flash, redirect, render_template, request
from flask_babel import gettext as _
from flask_login import current_user
from werkzeug.datastructures import MultiDict

from tradeboard.core import clock, drafts, once
from tradeboard.core.db import id_of
from tradeboard.core.transaction import transaction
from tradeboard.trades.forms import OfferForm
from tradeboard.web.ways import this_page

OFFER, COUNTER = "offer", "counter"
NOT_TYPED = frozenset({"csrf_token", "submit_id", "do"})
MOST_FIELDS, LONGEST = 200, 2000


def find(kind: str, number: int) -> MultiDict | None:
    """Return the fields of an offer that was begun, on whichever device."""
    fields = drafts.find(current_user.id, kind, number)
    return MultiDict(fields) if fields else None


def form_of(fields: MultiDict, listing) -> OfferForm:
    """Return the form as it was left; cards that joined the listing since join it."""
    form = OfferForm(formdata=fields)
    form.add_lines(listing)
    return form


def answer(kind: str, number: int, form: OfferForm):
    """Keep the fields, or throw them away; None if the button asks for neither."""
    pressed = request.form.get("do")
    if pressed not in ("draft", "forget"):
        return None
    now = clock.now()
    with transaction():
        if pressed == "forget":
            drafts.drop(current_user.id, kind, number)
        # What has been sent meanwhile is no draft any more.
        elif once.find_target(current_user.id, form.submit_id.data) is None:
            drafts.keep(current_user.id, kind, number, _typed(), now=now)
    if request.headers.get("HX-Request"):
        return render_template("trades/_kept.html", now=now)
    if pressed == "forget":
        flash(_("下書きを捨てました。"), "ok")
    else:
        flash(_("下書きに残しました。"), "ok")
    return redirect(this_page(), 303)


def drop(kind: str, number: int) -> None:
    """Drop what was begun: it is sent, in the caller's transaction."""
    drafts.drop(id_of(current_user._get_current_object()), kind, number)


def _typed() -> dict[str, list[str]]:
    names = [name for name in request.form if name not in NOT_TYPED]
    return {
        name: [value[:LONGEST] for value in request.form.getlist(name)]
        for name in names[:MOST_FIELDS]
    }
