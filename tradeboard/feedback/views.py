"""Pages: say how a trade was, look at it once more, send it."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.core import clock, drafts
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.feedback import queries, rules, services
from tradeboard.feedback.forms import FeedbackForm
from tradeboard.trades import queries as trades
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

bp = Blueprint("feedback", __name__)


@bp.app_context_processor
def shared():
    """Let every page say grades and tags in words."""
    return {"grade_words": rules.GRADES, "tag_words": rules.TAGS}


@bp.route("/trades/<int:trade_id>/feedback", methods=["GET", "POST"])
def show(trade_id: int):
    """Show what was said of a trade, or the form; keep what is typed into it."""
    if request.method == "GET":
        return _page(trade_id)
    form = FeedbackForm()
    pressed = request.form.get("do")
    if form.csrf_token.errors or not _room(trade_id).may_write:
        form.validate()
        return _page(trade_id, form), 422
    if pressed in ("draft", "keep"):
        _keep(trade_id, form)
        return _kept(trade_id, pressed)
    if not form.validate() or not _is_right(form):
        return _page(trade_id, form), 422
    _keep(trade_id, form)
    return redirect(url_for(".review", trade_id=trade_id), 303)


@bp.get("/trades/<int:trade_id>/feedback/review")
def review(trade_id: int):
    """Show what would be sent, since nothing can be changed afterwards."""
    draft = _draft(trade_id)
    if draft is None or not _room(trade_id).may_write:
        return redirect(url_for(".show", trade_id=trade_id), 303)
    trade = trades.get_trade_of(current_user.id, trade_id)
    return render_template(
        "feedback/review.html",
        trade=trade,
        partner=trade.partner_of(current_user.id),
        draft=draft,
        form=ButtonForm(formdata=None),
    )


@bp.post("/trades/<int:trade_id>/feedback/send")
def send(trade_id: int):
    """Send what the draft says."""

    def verb():
        draft = _draft(trade_id) or {}
        services.write(
            trade_id,
            draft.get("grade", ""),
            draft.get("tags", ()),
            draft.get("words", ""),
            by=current_user,
            now=clock.now(),
        )
        drafts.drop(current_user.id, queries.DRAFT, trade_id)
        flash(_("評価を送りました。"), "ok")
        return url_for(".show", trade_id=trade_id)

    try:
        return act(ButtonForm().submit_id.data, verb)
    except RuleBroken as refusal:
        form = _from_draft(trade_id)
        form.refuse(refusal)
        return _page(trade_id, form), 422


def _room(trade_id: int) -> queries.Room:
    """Return what the reader sees of a trade's feedback."""
    trade = trades.get_trade_of(current_user.id, trade_id)
    return queries.room_of(trade, current_user.id, clock.now())


def _page(trade_id: int, form: FeedbackForm | None = None):
    trade = trades.get_trade_of(current_user.id, trade_id)
    return render_template(
        "feedback/show.html",
        trade=trade,
        partner=trade.partner_of(current_user.id),
        room=queries.room_of(trade, current_user.id, clock.now()),
        form=form or _from_draft(trade_id),
        begun=form is None and _draft(trade_id) is not None,
        longest=rules.LONGEST_WORDS,
        most_tags=rules.MOST_TAGS,
        hide_reasons=rules.HIDE_REASONS,
    )


def _from_draft(trade_id: int) -> FeedbackForm:
    return FeedbackForm(formdata=None, data=_draft(trade_id) or {})


def _draft(trade_id: int):
    return drafts.find(current_user.id, queries.DRAFT, trade_id)


def _is_right(form: FeedbackForm) -> bool:
    """Say now what sending would refuse."""
    typed = form.typed()
    try:
        services.check(typed["grade"], typed["tags"], typed["words"], by=current_user)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return False
    return True


def _keep(trade_id: int, form: FeedbackForm) -> None:
    with transaction():
        drafts.keep(
            current_user.id, queries.DRAFT, trade_id, form.typed(), now=clock.now()
        )


def _kept(trade_id: int, pressed: str):
    if pressed == "keep":
        return render_template("feedback/_kept.html", kept_at=clock.now())
    flash(_("下書きに残しました。"), "ok")
    return redirect(url_for(".show", trade_id=trade_id), 303)
