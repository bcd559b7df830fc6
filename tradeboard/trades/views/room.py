"""The trades of a member, and the room of one of them."""

from dataclasses import replace

from flask import render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts import queries as accounts
from tradeboard.core import clock, paging
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.trades import queries
from tradeboard.trades.forms import DispatchForm, SayForm
from tradeboard.trades.rules import carriers, offers
from tradeboard.trades.rules import clock as clock_rules
from tradeboard.trades.services import contacts, messages
from tradeboard.trades.views.blueprint import bp
from tradeboard.web.acting import act
from tradeboard.web.readable import whole

PAGE_SIZE = 24
MESSAGES = 50


@bp.get("/trades")
def index():
    """Show a member's trades, newest first."""
    now = clock.now()
    cursor = paging.decode(request.args.get("after"))
    rows = queries.list_own(
        current_user.id, before=cursor.id if cursor else None, limit=PAGE_SIZE + 1
    )
    page = paging.page(rows, PAGE_SIZE, "started_at")
    return render_template(
        "trades/index.html",
        trades=[(trade, *_seen(trade, now)) for trade in page.rows],
        after=page.after,
        cards=queries.given,
        photo=lambda trade: queries.front_photo(trade, current_user),
    )


@bp.get("/trades/<int:trade_id>")
def show(trade_id):
    """Show a trade to the two who swap."""
    return render_room(trade_id)


@bp.post("/trades/<int:trade_id>/messages")
def say(trade_id):
    """One of the two writes to the other."""
    form = SayForm()
    if not form.validate_on_submit():
        return render_room(trade_id, say_form=form), 422

    def verb():
        messages.say(trade_id, form.text.data, by=current_user, now=clock.now())
        return url_for(".show", trade_id=trade_id, _anchor="talk")

    try:
        return act(form.submit_id.data, verb)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return render_room(trade_id, say_form=form), 422


def render_room(trade_id, *, say_form=None, stale=None):
    """Render the room; `stale` is the version that was answered too late."""
    now = clock.now()
    trade = queries.load_room(current_user.id, trade_id)
    before = whole(request.args.get("before"))
    said = queries.messages_of(trade.id, before=before, limit=MESSAGES)
    return render_template(
        "trades/show.html",
        **seen(trade, now),
        changes=changes_of(trade),
        stale=stale,
        messages=said,
        earlier=said[0].id if len(said) == MESSAGES else None,
        may_talk=trade.state in messages.TALKING,
        say_form=say_form or SayForm(formdata=None),
        dispatch_form=new_dispatch(),
        devices=_devices_of_partner(trade, now),
        masked=contacts.masked_number(trade, current_user, now=now),
        latest_before=clock_rules.LATEST_SENSIBLE,
    )


def seen(trade, now):
    """Return what every page of a trade shows of it."""
    return {
        "trade": trade,
        "partner": trade.partner_of(current_user.id),
        "party": trade.party_of(current_user.id),
        "step": queries.step_of(trade, current_user.id, now),
        "badge_state": queries.badge_of(trade, current_user.id, now),
        "options": queries.options_of(trade, current_user.id, now),
        "offer": queries.newest_offer(trade),
        "photo": queries.front_photo(trade, current_user),
        "cards": queries.given,
        "tracking": tracking,
    }


def new_dispatch() -> DispatchForm:
    """Return an empty form of dispatch; the carrier is that of the last parcel."""
    carrier = queries.last_carrier(current_user.id)
    return DispatchForm(formdata=None, data={"carrier": carrier} if carrier else None)


def tracking(leg):
    """Return how a parcel's number is shown: carrier, number, where to look."""
    carrier = carriers.find_carrier(leg.carrier)
    if carrier is None:
        return None
    return {
        "name": carrier.name,
        "number": carriers.pretty(leg.carrier, leg.tracking),
        "url": carriers.tracking_url(leg.carrier, leg.tracking),
    }


def changes_of(trade, since=None):
    """Return what the newest version changes, as values and in words."""
    before = since or trade.offer_number - 1
    old = next((offer for offer in trade.offers if offer.number == before), None)
    if old is None:
        return []
    newest = queries.newest_offer(trade)
    found = offers.difference(queries.items_of(old), queries.items_of(newest))
    return [(change, offers.in_words(replace(change, details=()))) for change in found]


def refuse_stale(trade_id, number, refusal: Conflict):
    """Return the changes since the version that was answered, or refuse again."""
    trade = queries.load_room(current_user.id, trade_id)
    changes = changes_of(trade, since=number) if number != trade.offer_number else []
    if not changes:
        raise refusal
    return changes


def _seen(trade, now):
    badge = queries.badge_of(trade, current_user.id, now)
    return badge, queries.step_of(trade, current_user.id, now)


def _devices_of_partner(trade, now):
    if trade.agreed_at is None:
        return []
    partner = trade.partner_of(current_user.id)
    until = trade.ended_at or now
    return accounts.devices_used(partner.id, since=trade.agreed_at, until=until)
