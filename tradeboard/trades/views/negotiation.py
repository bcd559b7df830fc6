"""Pages of offers: propose, counter, accept, and say no."""

from flask import render_template, request, url_for
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.listings import queries as listings
from tradeboard.terms import interlude
from tradeboard.trades import queries
from tradeboard.trades.forms import OfferForm
from tradeboard.trades.services import negotiation
from tradeboard.trades.views import begun
from tradeboard.trades.views.blueprint import bp
from tradeboard.trades.views.room import changes_of, refuse_stale, render_room
from tradeboard.web.access import know_sender, sent_by_number
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm
from tradeboard.web.readable import whole


@bp.route("/listings/<int:listing_id>/offer", methods=["GET", "POST"])
@sent_by_number
def propose(listing_id):
    """Choose what each side gives, and send the first offer."""
    form = OfferForm()
    sent = request.method == "POST" and request.form.get("do", "send") == "send"
    # What is sent is read under the lock alone, unless the form is shown again.
    listing = None
    if not sent:
        know_sender()
        listing = listings.open_listing(listing_id)
    if request.method == "GET":
        left = begun.find(begun.OFFER, listing_id)
        if left is not None:
            return _offer_page(begun.form_of(left, listing), listing, begun=True)
        form.fill(listing)
    answer = _before_the_effect(form, begun.OFFER, listing_id, asks=not sent)
    if answer is not None:
        return answer or _offer_page(form, listing or listings.open_listing(listing_id))

    return _send_offer(form, listing_id)


def _send_offer(form, listing_id):
    def items(locked):
        listings.require_open(locked)
        return form.items(locked)

    def verb():
        opened = negotiation.propose(
            listing_id,
            items,
            form.note.data,
            by=current_user,
            now=clock.now(),
        )
        begun.drop(begun.OFFER, listing_id)
        return url_for(".show", trade_id=opened.id)

    try:
        return act(form.submit_id.data, verb)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _offer_page(form, listings.open_listing(listing_id))
    except NotAllowed:
        know_sender()
        pause = interlude.pause()
        if pause is None:
            raise
        return pause


@bp.route("/trades/<int:trade_id>/counter", methods=["GET", "POST"])
def counter(trade_id):
    """Answer the newest version with another one."""
    trade = queries.load_room(current_user.id, trade_id)
    form = OfferForm()
    if request.method == "GET":
        listing = listings.get_listing(trade.listing_id)
        left = begun.find(begun.COUNTER, trade_id)
        if left is not None:
            return _begun_counter(begun.form_of(left, listing), trade)
        form.fill(listing, queries.items_of(queries.newest_offer(trade)))
        form.number.data = str(trade.offer_number)
    answer = _before_the_effect(form, begun.COUNTER, trade_id)
    if answer is not None:
        return answer or _counter_page(form, trade_id)

    def verb():
        negotiation.counter(
            trade_id,
            _number(form.number.data),
            form.items(listings.get_listing(trade.listing_id)),
            form.note.data,
            by=current_user,
            now=clock.now(),
        )
        begun.drop(begun.COUNTER, trade_id)
        return url_for(".show", trade_id=trade_id)

    try:
        return act(form.submit_id.data, verb)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _counter_page(form, trade_id)
    except Conflict as refusal:
        changes = refuse_stale(trade_id, _number(form.number.data), refusal)
        return _stale_counter(form, trade_id, changes)


@bp.post("/trades/<int:trade_id>/accept")
def accept(trade_id):
    """Agree to the version that was shown."""
    form = ButtonForm()
    number = _number(request.form.get("number"))
    queries.get_trade_of(current_user.id, trade_id)
    pause = interlude.pause(url_for(".show", trade_id=trade_id))
    if pause is not None:
        return pause

    def verb():
        negotiation.accept(trade_id, number, by=current_user, now=clock.now())
        return url_for(".show", trade_id=trade_id)

    try:
        return act(form.submit_id.data, verb)
    except Conflict as refusal:
        changes = refuse_stale(trade_id, number, refusal)
        return render_room(trade_id, stale=changes), 409


@bp.post("/trades/<int:trade_id>/decline")
def decline(trade_id):
    """The poster says no."""
    return _leave(trade_id, negotiation.decline)


@bp.post("/trades/<int:trade_id>/withdraw")
def withdraw(trade_id):
    """The proposer takes the offer back."""
    return _leave(trade_id, negotiation.withdraw)


def _leave(trade_id, verb):
    def leave():
        verb(trade_id, by=current_user, now=clock.now())
        return url_for(".show", trade_id=trade_id)

    return act(ButtonForm().submit_id.data, leave)


def _before_the_effect(form, kind, number, *, asks=True):
    """Return "" for the form again, a page to show first, or None to go on.

    Unless it `asks`, whoever has not agreed to the terms is found when it is sent.
    """
    if request.method == "GET":
        return ""
    kept = begun.answer(kind, number, form)
    if kept is not None:
        return kept
    if request.form.get("do") == "add":
        form.add_row()
        return ""
    if not form.validate_on_submit():
        return ""
    if not asks and interlude.BOX not in request.form:
        return None
    know_sender()
    return interlude.pause()


def _offer_page(form, listing, begun=False):
    know_sender()
    page = render_template(
        "trades/offer.html", form=form, listing=listing, trade=None, begun=begun
    )
    return page, _status(form)


def _begun_counter(form, trade):
    """Show what was begun, with what changed since; it answers the newest now."""
    number = _number(form.number.data)
    changes = changes_of(trade, since=number) if number != trade.offer_number else []
    form.number.data = str(trade.offer_number)
    return _counter_page(form, trade.id, stale=changes or None, begun=True)


def _counter_page(form, trade_id, *, stale=None, begun=False):
    trade = queries.load_room(current_user.id, trade_id)
    page = render_template(
        "trades/offer.html",
        form=form,
        listing=listings.get_listing(trade.listing_id),
        trade=trade,
        party=trade.party_of(current_user.id),
        cards=queries.given,
        stale=stale,
        begun=begun,
        changes=[] if stale else changes_of(trade),
    )
    return page, _status(form)


def _stale_counter(form, trade_id, changes):
    """Give the typed version back beside what changed; it answers the newest now."""
    trade = queries.load_room(current_user.id, trade_id)
    form.number.data = str(trade.offer_number)
    page, _ = _counter_page(form, trade_id, stale=changes)
    return page, 409


def _status(form) -> int:
    return 422 if form.errors or form.form_errors else 200


def _number(text) -> int:
    return whole(text) or 0
