"""The lists of another member, as far as they are shown."""

from flask import redirect, render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.rules.standing import Standing
from tradeboard.cards import queries
from tradeboard.cards.rules.sides import CardSide
from tradeboard.cards.views.blueprint import asked_side, bp
from tradeboard.core import folding, paging
from tradeboard.core.errors import NotFound


@bp.get("/u/<handle>/cards")
def of_member(handle: str):
    """Show a list of a member to other members; what suits the reader is marked."""
    account, side = accounts.find_by_handle(handle), asked_side()
    if account is None or account.standing is Standing.CLOSED:
        raise NotFound("この名前の人は見つかりません。")
    if account.handle != handle:
        target = url_for(".of_member", handle=account.handle, side=side.value)
        return redirect(target, 303)
    if account.id == current_user.id:
        return redirect(url_for(".mine", side=side.value), 303)
    if not queries.is_shown(account, current_user.id):
        raise NotFound("この人は、カードの一覧を公開していません。")
    return _page(account, side)


def _page(account, side: CardSide) -> str:
    asked = (request.args.get("q") or "").strip()
    terms = folding.terms(asked)
    after = paging.decode(request.args.get("after"))
    page = queries.cards_page(account.id, side, terms, after)
    lines, copies = queries.counts(account.id, side, terms)
    facing = CardSide.WANT if side is CardSide.HAVE else CardSide.HAVE
    here = {"handle": account.handle, "side": side.value, "q": asked or None}
    return render_template(
        "cards/shown.html",
        account=account,
        side=side.value,
        cards=page.rows,
        more=url_for(".of_member", **here, after=page.after) if page.after else None,
        asked=asked,
        found=lines,
        copies=copies,
        counted=queries.lines_of_both(account.id),
        suits=frozenset(queries.keys_of(current_user.id, facing)),
    )
