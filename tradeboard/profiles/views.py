"""Pages: what anybody sees of a member, and the own name and leaving."""

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
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import sessions
from tradeboard.blacklist import queries as blacklist
from tradeboard.core import clock
from tradeboard.core.errors import NotFound, RuleBroken
from tradeboard.listings import queries as listings
from tradeboard.profiles import queries, services
from tradeboard.profiles.forms import CloseForm, RenameForm
from tradeboard.web import throttling
from tradeboard.web.access import public
from tradeboard.web.acting import act

bp = Blueprint("profiles", __name__)

# Below this, a share says little about anybody.
ENOUGH_TO_TELL = 5
NAMES_TRIED = "30 per hour"
GONE = (
    "このアカウントは退会しました。"
    "取引の記録は、相手だった人の取引のページに残っています。"
)


@bp.get("/u/<handle>")
@public
def show(handle: str):
    """Show what a member has done here; former names lead to the present one."""
    account = accounts.find_by_handle(handle)
    if account is None:
        raise NotFound("この名前の人は見つかりません。")
    if account.standing is Standing.CLOSED:
        raise NotFound(GONE)
    if account.handle != handle:
        return redirect(url_for(".show", handle=account.handle), 303)
    return render_template(
        "profiles/show.html",
        account=account,
        tiles=listings.tiles_of_owner(account.id),
        is_listed=account.standing is Standing.LISTED,
        is_little=account.ended_count < ENOUGH_TO_TELL,
    )


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
