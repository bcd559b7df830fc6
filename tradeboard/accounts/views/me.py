"""The own account: what it is called, how it stands, in which language."""

from flask import current_app, redirect, render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts import queries
from tradeboard.accounts.services import profile
from tradeboard.accounts.views.blueprint import bp
from tradeboard.core import clock, languages
from tradeboard.core.transaction import transaction
from tradeboard.web import cookies
from tradeboard.web.access import from_here_alone, public, safe_next
from tradeboard.web.extensions import csrf
from tradeboard.web.fields import ButtonForm
from tradeboard.web.shell import THEMES

ONE_YEAR = 365 * 24 * 3600


@bp.get("/me")
def me():
    """Show the own account."""
    return render_template(
        "accounts/me.html",
        account=current_user,
        restrictions=queries.restrictions_of(current_user.id),
        devices=queries.devices_of(current_user.id),
        resend=ButtonForm(formdata=None),
    )


@bp.post("/preferences")
@public
@from_here_alone
@csrf.exempt
def preferences():
    """Keep language and theme in cookies for a year, the language also here.

    Their forms stand on every page and have no token, so that no visitor needs a
    session for having looked at one.
    """
    choices = {"language": languages.codes(), "theme": THEMES}
    chosen = {
        name: request.form[name]
        for name, offered in choices.items()
        if request.form.get(name) in offered
    }
    if "language" in chosen and current_user.is_authenticated:
        with transaction():
            profile.set_language(current_user, chosen["language"], now=clock.now())
    target = safe_next(request.form.get("next")) or url_for("listings.board")
    return keep(redirect(target, 303), chosen)


def keep(response, chosen: dict[str, str]):
    """Keep what was chosen in cookies of this browser for a year."""
    for name, value in chosen.items():
        response.set_cookie(
            cookies.name_of(name),
            value,
            max_age=ONE_YEAR,
            secure=current_app.config["SESSION_COOKIE_SECURE"],
            httponly=True,
            samesite="Lax",
        )
    return response
