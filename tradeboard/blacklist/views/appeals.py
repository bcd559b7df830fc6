"""The page behind a mailed link: the own entry without signing in, and the appeal."""

from flask import flash, render_template, request, url_for
from flask_babel import gettext as _

from tradeboard.blacklist import queries
from tradeboard.blacklist.services import appeals, links
from tradeboard.blacklist.views import facts
from tradeboard.blacklist.views.blueprint import bp
from tradeboard.core import clock
from tradeboard.web.access import public


@bp.route("/appeals/<token>", methods=["GET", "POST"])
@public
def by_link(token):
    """Show the entry and take the appeal; opening the page uses nothing up."""
    link = links.read(token)
    entry = queries.get_entry(link.entry_id)
    if not links.is_good(entry):
        return render_template("blacklist/link_over.html", entry=entry), 410
    if request.method != "POST":
        return facts.show(entry.id, token=token, used=link.used_at is not None)
    return _take(token, entry)


def _take(token, entry):
    entry_id, here = entry.id, url_for(".by_link", token=token, _anchor="appeal")

    def send(words, pictures):
        now = clock.now()
        appeals.appeal(entry_id, words, pictures, by=None, link=token, now=now)
        flash(_("異議の申し立てを受け取りました。"), "ok")
        return here

    return facts.appeal_on(entry).take(
        send, lambda form: facts.show(entry_id, appeal=form, token=token), here
    )
