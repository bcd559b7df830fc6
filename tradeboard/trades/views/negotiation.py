"""Pages of offers: propose, counter, accept, and say no."""

from flask import render_template, request, url_for
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.listings import queries as listings
from tradeboard.terms import interlude
from tradeboard.trades import queries
from tradeboard.trades.forms import OfferForm
from tradeboard.trades.services import negotiation
from tradeboard.trades.views.blueprint import bp
from tradeboard.trades.views.room import changes_of, refuse_stale, render_room
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm
from tradeboard.web.readable import whole


@bp.route("/listings/<int:listing_id>/offer", methods=["GET", "POST"])
def propose(listing_id):
    """Choose what each side gives, and send the first offer."""
    listing = listings.open_listing(listing_id)
    form = OfferForm()
    if request.method == "GET":
        form.fill(listing)
    answer = _before_the_effect(form)
    if answer is not None:
        return answer or _offer_page(form, listing)

    def verb():
        trade = negotiation.propose(
            listing_id,
            form.items(listings.open_listing(listing_id)),
            form.note.data,
            by=current_user,
            now=clock.now(),
        )
        return url_for(".show", trade_id=trade.id)

    try:
        return act(form.submit_id.data, verb)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _offer_page(form, listings.open_listing(listing_id))


@bp.route("/trades/<int:trade_id>/counter", methods=["GET", "POST"])
def counter(trade_id):
    """Answer the newest version with another one."""
    trade = queries.load_room(current_user.id, trade_id)
    form = OfferForm()
    if request.method == "GET":
        listing = listings.get_listing(trade.listing_id)
        form.fill(listing, queries.items_of(queries.newest_offer(trade)))
        form.number.data = str(trade.offer_number)
    answer = _before_the_effect(form)
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


def _before_the_effect(form):
    """Return "" for the form again, a page to show first, or None to go on."""
    if request.method == "GET":
        return ""
    if request.form.get("do") == "add":
        form.add_row()
        return ""
    if not form.validate_on_submit():
        return ""
    return interlude.pause()


def _offer_page(form, listing):
    page = render_template("trades/offer.html", form=form, listing=listing, trade=None)
    return page, _status(form)


def _counter_page(form, trade_id):
    trade = queries.load_room(current_user.id, trade_id)
    listing = listings.get_listing(trade.listing_id)
    page = render_template(
        "trades/offer.html",
        form=form,
        listing=listing,
        trade=trade,
        stale=None,
        changes=changes_of(trade),
    )
    return page, _status(form)


def _stale_counter(form, trade_id, changes):
    """Give the typed version back beside what changed; it answers the newest now."""
    trade = queries.load_room(current_user.id, trade_id)
    listing = listings.get_listing(trade.listing_id)
    form.number.data = str(trade.offer_number)
    page = render_template(
        "trades/offer.html",
        form=form,
        listing=listing,
        trade=trade,
        stale=changes,
        changes=[],
    )
    return page, 409


def _status(form) -> int:
    return 422 if form.errors or form.form_errors else 200


def _number(text) -> int:
    return whole(text) or 0
