"""The desk itself: for staff alone, with a menu on every page."""

from flask import Blueprint, current_app, request, url_for
from flask_babel import gettext as _

from tradeboard.accounts.services.holds import DECISIONS
from tradeboard.web import access

bp = Blueprint("desk", __name__, url_prefix="/desk")
bp.before_request(access.require_staff)


@bp.app_context_processor
def frame():
    """Give every page of the desk, of whichever feature, its menu."""
    if not request or not request.path.startswith("/desk"):
        return {}
    pages = (
        (_("キュー"), "desk.index", "shield"),
        (_("記録"), "blacklist_staff.queue", "list"),
        (_("異議"), "blacklist_staff.appeals", "message"),
        (_("一致"), "desk.holds", "users"),
        (_("通報"), "reports_staff.queue", "flag"),
        (_("会員一覧"), "desk.people", "user"),
        (_("道具"), "desk.tools", "settings"),
    )
    links = [
        (label, url_for(endpoint), drawing, request.endpoint == endpoint)
        for label, endpoint, drawing in pages
        if endpoint in current_app.view_functions
    ]
    return {"desk_links": links, "hold_decisions": DECISIONS}
