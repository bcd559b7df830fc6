"""Pages."""

from flask import Blueprint, redirect, render_template, url_for

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.rules.standing import Standing
from tradeboard.core.errors import NotFound
from tradeboard.listings import queries as listings
from tradeboard.web.access import public

bp = Blueprint("profiles", __name__)

# Below this, a share says little about anybody.
ENOUGH_TO_TELL = 5


@bp.get("/u/<handle>")
@public
def show(handle: str):
    """Show what a member has done here; former names lead to the present one."""
    account = accounts.find_by_handle(handle)
    if account is None or account.standing is Standing.CLOSED:
        raise NotFound("この名前の人は見つかりません。")
    if account.handle != handle:
        return redirect(url_for(".show", handle=account.handle))
    return render_template(
        "profiles/show.html",
        account=account,
        tiles=listings.tiles_of_owner(account.id),
        is_listed=account.standing is Standing.LISTED,
        is_little=account.ended_count < ENOUGH_TO_TELL,
    )
