"""The searches that a member keeps."""

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.listings import queries
from tradeboard.listings.queries import searches
from tradeboard.listings.rules import search
from tradeboard.listings.services import searching
from tradeboard.listings.views import asking
from tradeboard.listings.views.blueprint import bp
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm
from tradeboard.web.languages import translate


@bp.get("/me/searches")
def kept_searches():
    """Show what the member keeps, and how much each search finds."""
    return _page()


@bp.post("/me/searches")
def keep_search():
    """Keep the search that the board showed."""
    button = ButtonForm()
    asked = search.kept(request.form.get("asked", ""))

    def keep() -> str:
        searching.keep(asked, by=current_user, now=clock.now())
        flash(
            _("検索を保存しました。新しい募集は1日に1回メールでお知らせします。"), "ok"
        )
        return url_for(".kept_searches")

    if not button.validate_on_submit():
        return redirect(url_for(".kept_searches"), 303)
    try:
        return act(button.submit_id.data, keep)
    except RuleBroken as refusal:
        return _page(translate(refusal.message)), 422


@bp.post("/me/searches/<int:search_id>/mail")
def mail_search(search_id: int):
    """Switch the daily mail of a search on or off."""
    wanted = request.form.get("mail") == "on"

    def switch() -> str:
        searching.set_mail(search_id, wanted, by=current_user, now=clock.now())
        return url_for(".kept_searches", _anchor=f"s{search_id}")

    return act(ButtonForm().submit_id.data, switch)


@bp.post("/me/searches/<int:search_id>/delete")
def delete_search(search_id: int):
    """Keep a search no more."""

    def forget() -> str:
        searching.forget(search_id, by=current_user, now=clock.now())
        flash(_("検索を削除しました。"), "ok")
        return url_for(".kept_searches")

    return act(ButtonForm().submit_id.data, forget)


def _page(mistake: str = "") -> str:
    now = clock.now()
    kept = searches.of_account(current_user.id)
    asked = [search.kept(one.asked) for one in kept]
    counts = queries.board.count_each([asking.filters_of(one, now) for one in asked])
    return render_template(
        "listings/searches.html",
        rows=[
            {
                "id": one.id,
                "words": [asking.in_short(key, value) for key, value in its.items()],
                "url": asking.address(its),
                "count": count,
                "mail": one.mail,
            }
            for one, its, count in zip(kept, asked, counts, strict=True)
        ],
        counted=queries.board.COUNTED,
        most=search.MOST_SAVED,
        mistake=mistake,
        button=ButtonForm,
    )
