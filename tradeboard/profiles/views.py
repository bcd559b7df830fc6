"""Pages: what anybody sees of a member, blocks, and the own name and leaving."""

from datetime import timedelta

from flask import (
    Blueprint,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import blocking, sessions
from tradeboard.blacklist import queries as blacklist
from tradeboard.core import clock, paging
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.feedback import queries as feedback
from tradeboard.listings import queries as listings
from tradeboard.profiles import queries, services
from tradeboard.profiles.forms import CloseForm, RenameForm
from tradeboard.trades import queries as trades
from tradeboard.trades.rules import records
from tradeboard.web import throttling
from tradeboard.web.access import public
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

bp = Blueprint("profiles", __name__)

FEEDBACK_SHOWN = 20
RECENT = timedelta(days=90)
READ = "300 per 1 minute"
NAMES_TRIED = "30 per hour"
NOBODY = "この名前の人は見つかりません。"
GONE = (
    "このアカウントは退会しました。"
    "取引の記録は、相手だった人の取引のページに残っています。"
)


@bp.get("/u/<handle>")
@public
def show(handle: str):
    """Show what a member has done here; former names lead to the present one.

    It says who is listed, so to strangers it is a look-up like the others.
    """
    if not current_user.is_authenticated:
        throttling.limit("look-up", throttling.network(), READ)
    account = accounts.find_by_handle(handle)
    if account is None:
        raise NotFound(NOBODY)
    if account.standing is Standing.CLOSED:
        raise NotFound(GONE)
    if account.handle != handle:
        return redirect(url_for(".show", handle=account.handle), 303)
    after = paging.decode(request.args.get("after"))
    said = feedback.shown_about(account.id, before=after, limit=FEEDBACK_SHOWN + 1)
    days, parcels = trades.days_to_dispatch(account.id)
    return render_template(
        "profiles/show.html",
        account=account,
        tiles=listings.tiles_of_owner(account.id),
        is_listed=account.standing is Standing.LISTED,
        enough=records.ENOUGH_TO_TELL,
        recent=trades.record_of(account.id, since=clock.now() - RECENT),
        days_to_dispatch=days,
        parcels_asked=parcels,
        said=paging.page(said, FEEDBACK_SHOWN, "shown_at"),
        is_first_page=after is None,
        is_other=current_user.is_authenticated and current_user.id != account.id,
        is_blocked=_is_blocked(account),
        shows_cards=account.shows_cards and not _is_apart(account),
    )


@bp.post("/u/<handle>/block")
def block(handle: str):
    """Want nothing new from a person, who is not told."""

    def verb():
        account = _somebody(handle)
        blocking.block(account.id, by=current_user, now=clock.now())
        flash(_("ブロックしました。この人からの新しい申し込みは届きません。"), "ok")
        return url_for(".show", handle=account.handle)

    return act(ButtonForm().submit_id.data, verb)


@bp.post("/u/<handle>/unblock")
def unblock(handle: str):
    """Take the block back."""
    target = url_for(".blocks")

    def verb():
        blocking.unblock(_somebody(handle).id, by=current_user)
        flash(_("ブロックを解除しました。"), "ok")
        return target

    return act(ButtonForm().submit_id.data, verb)


@bp.get("/me/blocks")
def blocks():
    """Show whom the reader blocked."""
    after = paging.decode(request.args.get("after"))
    found = accounts.blocked_by(current_user.id, after)
    page = paging.page(found, paging.PAGE_SIZE, "since")
    return render_template("profiles/blocks.html", page=page)


def _somebody(handle: str) -> Account:
    account = accounts.find_by_handle(handle)
    if account is None:
        raise NotFound(NOBODY)
    return account


def _is_apart(account: Account) -> bool:
    """Tell whether one of the two blocked the other: a dead link would say so."""
    reader = current_user.id if current_user.is_authenticated else None
    return reader is not None and account.id in accounts.apart_from(reader)


def _is_blocked(account: Account) -> bool:
    if not current_user.is_authenticated:
        return False
    return accounts.blocks(current_user.id, account.id)


@bp.route("/me/handle", methods=["GET", "POST"])
def rename():
    """Take another name; the former one goes on leading here."""
    form = RenameForm()
    if request.method == "GET":
        return _name_page(form)
    if not form.validate_on_submit():
        return _name_page(form, 422)
    throttling.limit("rename", str(current_user.id), NAMES_TRIED)

    def verb():
        services.rename(current_user, form.handle.data, now=clock.now())
        return url_for(".rename")

    try:
        answer = act(form.submit_id.data, verb)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _name_page(form, 422)
    flash(_("ハンドルを変更しました。"), "ok")
    return answer


@bp.route("/me/close", methods=["GET", "POST"])
def close():
    """Say what stays, and close the account for good."""
    form = CloseForm()
    if request.method == "GET":
        return _close_page(form)
    if not form.validate_on_submit():
        return _close_page(form, 422)
    throttling.limit_own_password(current_user.id)
    try:
        return _close(form)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _close_page(form, 422)


def _close(form):
    sessions.check_own_password(current_user, form.password.data)

    def verb():
        services.close(current_user, now=clock.now())
        return url_for("listings.board")

    answer = act(form.submit_id.data, verb)
    session.clear()
    flash(_("退会しました。ご利用ありがとうございました。"), "ok")
    return answer


def _name_page(form, status=200):
    page = render_template(
        "profiles/rename.html",
        form=form,
        names=accounts.names_of(current_user.id),
        obstacles=queries.obstacles_to_renaming(current_user.id, now=clock.now()),
    )
    return make_response(page, status)


def _close_page(form, status=200):
    page = render_template(
        "profiles/close.html",
        form=form,
        obstacles=queries.obstacles_to_closing(current_user),
        entries=blacklist.standing_entries_of(current_user.id),
    )
    return make_response(page, status)
