"""In which language a member reads, and on whose clock deadlines stand."""

from flask import flash, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user
from wtforms.fields.choices import SelectChoice

from tradeboard.accounts.forms import LanguageForm
from tradeboard.accounts.rules import zones
from tradeboard.accounts.services import profile
from tradeboard.accounts.views.blueprint import bp
from tradeboard.accounts.views.me import keep
from tradeboard.core import clock, languages
from tradeboard.core.errors import RuleBroken
from tradeboard.core.japan import ZONE
from tradeboard.web.acting import act
from tradeboard.web.languages import translate


@bp.route("/me/language", methods=["GET", "POST"])
def language():
    """Choose language and time zone; pages and mails follow at once."""
    form = LanguageForm(obj=current_user)
    names = languages.names().items()
    form.language.choices = [SelectChoice(code, name) for code, name in names]
    form.time_zone.choices = _zones()
    if not form.is_submitted():
        return _page(form)
    if not form.validate():
        return _page(form), 422
    try:
        response = act(form.submit_id.data, lambda: _choose(form))
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form), 422
    # A cookie of before would outdo the account on this browser.
    return keep(response, {"language": form.language.data})


def _choose(form) -> str:
    chosen, zone = form.language.data, form.time_zone.data
    profile.choose(current_user, chosen, zone, now=clock.now())
    flash(_("言語と時間帯を変えました。"), "ok")
    return url_for(".language")


def _page(form):
    return render_template("accounts/language.html", form=form)


def _zones() -> list[SelectChoice]:
    """Return the zones by part of the world, Japan first."""
    return [
        SelectChoice(ZONE, _("日本時間"), optgroup=_("日本")),
        *(
            SelectChoice(zone, place, optgroup=translate(area))
            for area, places in zones.by_area()
            for zone, place in places
            if zone != ZONE
        ),
        SelectChoice("UTC", "UTC", optgroup=_("そのほか")),
    ]
