"""The settings of the site, and who changed which of them when."""

from flask import flash, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.moderation import queries, services
from tradeboard.moderation.forms import SettingsForm
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.site import queries as site
from tradeboard.site.rules import Key, Settings
from tradeboard.web import access
from tradeboard.web.acting import act


@bp.get("/site")
@access.permits(Act.CHANGE_SETTINGS)
def site_settings():
    """Show the settings that hold, and their history."""
    site.forget()
    form = SettingsForm(formdata=None)
    now = site.settings()
    for key in Key:
        form[key.value].data = getattr(now, key.value)
    return _page(form)


@bp.post("/site")
@access.permits(Act.CHANGE_SETTINGS)
def change_settings():
    """Give settings other values; each change is in the history and the audit log."""
    form = SettingsForm()
    if not form.validate_on_submit():
        return _page(form), 422

    def happen():
        services.change_settings(
            form.values(), form.why.data or "", by=current_user, now=clock.now()
        )
        return url_for("desk.site_settings")

    try:
        answer = act(form.submit_id.data, happen)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form), 422
    site.forget()
    flash(_("設定を変えました。"), "ok")
    return answer


def _page(form):
    changes = site.setting_history()
    return render_template(
        "moderation/site.html",
        form=form,
        changes=_with_former(changes),
        handles=queries.handles({change.by_id for change in changes}),
    )


def _with_former(changes):
    """Put beside each change what held before; the newest stand first."""
    found, before = [], {key.value: getattr(Settings(), key.value) for key in Key}
    for change in reversed(changes):
        found.append((change, before.get(change.key, "")))
        before[change.key] = change.value
    return found[::-1]
