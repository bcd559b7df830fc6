"""The terms, open to everybody."""

from flask import Blueprint, flash, redirect, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.core.errors import NotFound
from tradeboard.terms import interlude, queries, texts
from tradeboard.web.access import public

bp = Blueprint("terms", __name__)


@bp.get("/terms")
@public
def show():
    """Show the version in force."""
    newest = queries.newest()
    if newest is None:
        raise NotFound("利用規約は、まだ公開されていません。")
    return _page(newest, newest.number)


@bp.get("/terms/<int:number>")
@public
def version(number):
    """Show one version, old or new."""
    return _page(queries.get_version(number), queries.newest_number())


@bp.post("/terms/agree")
def agree():
    """Ask for agreement to the version in force, outside of any other form."""
    page = interlude.pause(url_for(".show"))
    if page is not None:
        return page
    flash(_("利用規約に同意しました。"), "ok")
    return redirect(url_for(".show"), 303)


def _page(version, newest_number):
    agreed = None
    if current_user.is_authenticated:
        agreed = queries.agreed_number(current_user.id)
    return render_template(
        "terms/terms.html",
        version=texts.shown(version),
        newest_number=newest_number,
        changes=texts.changes_since_agreed(version),
        agreed=agreed,
        versions=queries.versions(),
    )
