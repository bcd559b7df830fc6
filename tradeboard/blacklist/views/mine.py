"""What concerns oneself: the own entries, statements, appeals, questions asked."""

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.blacklist import queries
from tradeboard.blacklist.forms import StatementForm
from tradeboard.blacklist.rules import appeals as rules
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.rules.entries import STANDING_STATES
from tradeboard.blacklist.services import appeals, statements
from tradeboard.blacklist.views import facts
from tradeboard.blacklist.views.answering import Answering
from tradeboard.blacklist.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.core.errors import NotFound


@bp.get("/blacklist/mine")
def mine():
    """Show a person the own entries of every state."""
    entries = queries.entries_of(current_user.id)
    return render_template("blacklist/mine.html", entries=entries, wording=wording)


@bp.get("/blacklist/mine/<int:entry_id>")
def entry(entry_id):
    """Show what is kept about an entry, what of it is public, and how to answer."""
    queries.get_entry_of(current_user.id, entry_id)
    return facts.show(entry_id)


@bp.post("/blacklist/mine/<int:entry_id>/statement")
def state(entry_id):
    """Bring something forward for the moderators, or keep it as a draft."""
    own = queries.get_entry_of(current_user.id, entry_id)

    def send(words, pictures):
        now = clock.now()
        statements.state(entry_id, words, pictures, by=current_user, now=now)
        flash(_("担当者に送りました。"), "ok")
        return url_for(".entry", entry_id=entry_id, _anchor="said")

    return facts.statement_on(own).take(
        send,
        lambda form: facts.show(entry_id, statement=form),
        url_for(".entry", entry_id=entry_id, _anchor="said"),
    )


@bp.post("/blacklist/mine/<int:entry_id>/appeal")
def appeal(entry_id):
    """Ask another moderator to look again, or keep it as a draft."""
    own = queries.get_entry_of(current_user.id, entry_id)

    def send(words, pictures):
        now = clock.now()
        appeals.appeal(entry_id, words, pictures, by=current_user, link=None, now=now)
        flash(_("異議の申し立てを受け取りました。"), "ok")
        return url_for(".entry", entry_id=entry_id, _anchor="appeal")

    return facts.appeal_on(own).take(
        send,
        lambda form: facts.show(entry_id, appeal=form),
        url_for(".entry", entry_id=entry_id, _anchor="appeal"),
    )


@bp.route("/blacklist/asked/<int:entry_id>", methods=["GET", "POST"])
def asked(entry_id):
    """Let the partner read what a moderator asked, and answer with evidence."""
    if not queries.requests_to(current_user.id, entry_id):
        raise NotFound("その問い合わせはありません。")
    if queries.get_entry(entry_id).account_id == current_user.id:
        return redirect(url_for(".entry", entry_id=entry_id), 303)
    answering = Answering(StatementForm, "statement", entry_id, current_user.id)
    if request.method != "POST":
        return _asked_page(answering, answering.fresh())
    here = url_for(".asked", entry_id=entry_id)

    def send(words, pictures):
        now = clock.now()
        statements.answer(entry_id, words, pictures, by=current_user, now=now)
        flash(_("担当者に送りました。"), "ok")
        return here

    return answering.take(send, lambda form: _asked_page(answering, form), here)


def _asked_page(answering, form):
    return render_template(
        "blacklist/asked.html",
        entry=queries.own_entry(answering.entry_id),
        asked=queries.requests_to(current_user.id, answering.entry_id),
        said=queries.evidence_of(answering.entry_id, current_user.id),
        statement=form,
        kept={"statement": answering.pictures(form)},
        most_files=rules.MOST_FILES,
        may_answer=queries.get_entry(answering.entry_id).state in STANDING_STATES,
        token=None,
    )
