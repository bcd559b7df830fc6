"""Messages: write, keep for later, mark as read, and their photos."""

from flask import flash, redirect, render_template, request
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock, drafts, once
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken, TooMany
from tradeboard.core.transaction import transaction
from tradeboard.trades import photos, queries
from tradeboard.trades.forms import SayForm
from tradeboard.trades.photos import Stored
from tradeboard.trades.services import messages
from tradeboard.trades.views import uploads
from tradeboard.trades.views.blueprint import bp
from tradeboard.trades.views.proofs import leave_trace
from tradeboard.trades.views.room import render_room, talk_url
from tradeboard.web import photo_files, throttling
from tradeboard.web.acting import act
from tradeboard.web.error_pages import STATUS
from tradeboard.web.fields import ButtonForm
from tradeboard.web.readable import whole

MESSAGES = "300 per hour"
# So much of a text is kept, whatever is typed.
MOST_KEPT = 4000
REFUSED = (Conflict, NotAllowed, RuleBroken, TooMany)


@bp.post("/trades/<int:trade_id>/messages")
def say(trade_id):
    """One of the two writes to the other, or keeps it for later."""
    queries.get_trade_of(current_user.id, trade_id)
    form = SayForm()
    valid = form.validate_on_submit()
    try:
        throttling.limit("messages", str(current_user.id), MESSAGES)
        pictures = uploads.take(form)
        if not valid:
            return render_room(trade_id, say_form=form), 422
        if request.form.get("do", "send") != "send":
            return _keep(trade_id, form, _without_dropped(pictures))
        return act(form.submit_id.data, lambda: _say(trade_id, form, pictures))
    except REFUSED as refusal:
        form.refuse(refusal)
        return render_room(trade_id, say_form=form), STATUS[type(refusal)]


@bp.post("/trades/<int:trade_id>/messages/draft")
def keep_message(trade_id):
    """Keep what is being typed; the answer is a word beside the box."""
    queries.get_trade_of(current_user.id, trade_id)
    form = SayForm()
    now = clock.now()
    with transaction():
        # What has been sent meanwhile is no draft any more.
        if once.find_target(current_user.id, form.submit_id.data) is None:
            _keep_draft(trade_id, form, uploads.kept(form), now)
    return render_template("trades/_kept.html", now=now)


@bp.post("/trades/<int:trade_id>/read")
def read(trade_id):
    """The reader has seen the messages up to one."""
    up_to = whole(request.form.get("seen")) or 0

    def verb():
        messages.read(trade_id, up_to, by=current_user, now=clock.now())
        return talk_url(trade_id)

    return act(ButtonForm().submit_id.data, verb)


@bp.get("/messages/photos/<photo_id>-<int:width>.jpg")
def message_photo(photo_id, width):
    """Send a photo of a message, to be kept nowhere."""
    photo_files.require_name(photo_id)
    trade = messages.see_photo(photo_id, by=current_user)
    if current_user.may(Act.SEE_PROOF):
        leave_trace(trade.id)
    return photo_files.send_private(photos.SUBFOLDER, photo_id, width)


@bp.get("/messages/kept/<token>-<int:width>.jpg")
def kept_photo(token, width):
    """Send a photo that waits in the own draft; the address is good for its author."""
    return photo_files.send_private(photos.SUBFOLDER, uploads.opened(token), width)


def _say(trade_id, form, pictures):
    now = clock.now()
    seen = whole(form.seen.data) or 0
    messages.read(trade_id, seen, by=current_user, now=now)
    phrase = request.form.get("phrase")
    if phrase:
        messages.say_phrase(trade_id, phrase, by=current_user, now=now)
        if "text" in request.form:  # What stood in the box meanwhile is not lost.
            _keep_draft(trade_id, form, pictures, now)
    else:
        messages.say(trade_id, form.text.data, pictures, by=current_user, now=now)
        drafts.drop(current_user.id, queries.MESSAGE_DRAFT, trade_id)
    return talk_url(trade_id)


def _keep(trade_id, form, pictures):
    """Keep the draft because a button says so, and come back to it."""
    with transaction():
        _keep_draft(trade_id, form, pictures, clock.now())
    if request.form.get("do") == "draft":
        flash(_("下書きに残しました。"), "ok")
    return redirect(talk_url(trade_id), 303)


def _keep_draft(trade_id, form, pictures: list[Stored], now):
    owner, kind = current_user.id, queries.MESSAGE_DRAFT
    text = form.text.data or ""
    if not text and not pictures:
        drafts.drop(owner, kind, trade_id)
        return
    rows = [[one.id, one.width, one.height] for one in pictures]
    fields = {"text": text[:MOST_KEPT], "photos": rows}
    drafts.keep(owner, kind, trade_id, fields, now=now)


def _without_dropped(pictures: list[Stored]) -> list[Stored]:
    """Return the pictures but for the one whose button was pressed."""
    pressed = request.form.get("do", "")
    return [one for one in pictures if pressed != f"drop:{one.id}"]
