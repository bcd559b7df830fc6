"""The trades of a member, and the room of one of them."""

import hashlib
from dataclasses import replace

from flask import current_app, make_response, render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core import clock, drafts, paging
from tradeboard.core.errors import Conflict
from tradeboard.trades import queries
from tradeboard.trades.forms import DispatchForm, SayForm
from tradeboard.trades.photos import Stored
from tradeboard.trades.rules import carriers, offers, phrases
from tradeboard.trades.rules import clock as clock_rules
from tradeboard.trades.services import contacts, messages
from tradeboard.trades.views import uploads
from tradeboard.trades.views.blueprint import bp
from tradeboard.web.moments import reader_locale
from tradeboard.web.readable import whole

PAGE_SIZE = 24
MESSAGES = 50
CLOCK_MOVES = 300
PARTS = {"room-talk": "trades/_talk.html", "room-msgs": "trades/_messages.html"}


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
        unread=queries.unread_of(current_user.id),
    )


@bp.get("/trades/<int:trade_id>")
def show(trade_id):
    """Show a trade to the two who swap."""
    return render_room(trade_id)


@bp.get("/trades/<int:trade_id>/live")
def live(trade_id):
    """Tell an open page what has moved; 304 while nothing has."""
    now = clock.now()
    mark = _mark(queries.get_trade_of(current_user.id, trade_id), now)
    if request.if_none_match.contains(mark):
        answer = make_response("", 304)
    else:
        answer = make_response(_render("trades/live.html", trade_id))
    answer.set_etag(mark)
    return answer


def talk_url(trade_id) -> str:
    """Return where the messages of a trade begin."""
    return url_for(".show", trade_id=trade_id, _anchor="talk")


def render_room(trade_id, *, say_form=None, stale=None):
    """Render the room, or the part of it that a script asks for.

    `stale` is the version that was answered too late.
    """
    target = request.headers.get("HX-Target", "").partition("#")[2]
    template = PARTS.get(target, "trades/show.html")
    return _render(template, trade_id, say_form=say_form, stale=stale)


def _render(template, trade_id, *, say_form=None, stale=None):
    now = clock.now()
    trade = queries.load_room(current_user.id, trade_id)
    before = whole(request.args.get("before"))
    said = queries.messages_of(trade.id, before=before, limit=MESSAGES)
    form = say_form or _form_from_draft(trade_id)
    form.seen.data = str(said[-1].id) if said else ""
    return render_template(
        template,
        **seen(trade, now),
        mark=_mark(trade, now),
        changes=changes_of(trade),
        stale=stale,
        messages=said,
        unread=_unread(said),
        earlier=said[0].id if len(said) == MESSAGES else None,
        may_talk=trade.state in messages.TALKING,
        say_form=form,
        kept=uploads.kept(form),
        name_for_author=uploads.name_for_author,
        **sentences(trade, now),
        dispatch_form=new_dispatch(),
        devices=_devices_of_partner(trade, now),
        masked=contacts.masked_number(trade, current_user, now=now),
    )


def _form_from_draft(trade_id) -> SayForm:
    """Return the form with what was begun, on whichever device."""
    draft = drafts.find(current_user.id, queries.MESSAGE_DRAFT, trade_id)
    if draft is None:
        return SayForm(formdata=None)
    kept = uploads.signed([Stored(*row) for row in draft["photos"]])
    return SayForm(formdata=None, data={"text": draft["text"], "kept": kept})


def _unread(said) -> int:
    own = current_user.id
    return sum(one.author_id != own and one.read_at is None for one in said)


def _nudge_from(trade, now):
    """Return when the next nudge may be sent, if that is still to come."""
    last = queries.last_nudge(trade.id, current_user.id)
    again = phrases.nudge_again(last)
    return again if again is not None and now < again else None


def _mark(trade, now) -> str:
    """Return what changes when anything that the room shows may have changed.

    The clock alone moves things too: limits that pass, and offers to undo or to contest
    that begin and end, which may be seen some minutes later.
    """
    limits = (trade.answer_by, trade.call_by, trade.dispatch_by, trade.due_at)
    passed = [clock_rules.is_over(limit, now) for limit in limits]
    standing = trade.partner_of(current_user.id).standing
    # Even that something moved would tell of a hold.
    shown = Standing.GOOD if standing is Standing.HELD else standing
    seen_of = (trade.version, passed, queries.talk_mark(trade.id), shown)
    minutes = int(now.timestamp()) // CLOCK_MOVES
    shown_to = (current_user.id, reader_locale(), minutes)
    return hashlib.sha256(repr((seen_of, shown_to)).encode()).hexdigest()[:32]


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
        "carriers": carriers.for_browsers(),
        "latest_before": clock_rules.LATEST_SENSIBLE,
    }


def sentences(trade, now):
    """Return the ready sentences, and which of them may be sent now."""
    return {
        "phrases": phrases.PHRASES,
        "offered": queries.phrases_for(trade, current_user.id, now),
        "nudge_from": _nudge_from(trade, now),
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
        "url": carriers.tracking_url(
            leg.carrier, leg.tracking, templates=current_app.config["TRACKING_URLS"]
        ),
    }


def changes_of(trade, since=None):
    """Return what the newest version changes, as values and in words."""
    before = since or trade.offer_number - 1
    old = next((offer for offer in trade.offers if offer.number == before), None)
    if old is None:
        return []
    newest = queries.newest_offer(trade)
    found = offers.difference(queries.items_of(old), queries.items_of(newest))
    reader = trade.party_of(current_user.id)
    return [
        (change, offers.in_words(replace(change, details=()), reader))
        for change in found
    ]


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
