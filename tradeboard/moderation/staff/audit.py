"""The audit log: what was recorded, and whether it is whole."""

from flask import current_app, render_template, request, url_for

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.rules.permissions import Act
from tradeboard.audit import anchors
from tradeboard.audit import queries as audit
from tradeboard.moderation import queries
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.web import access
from tradeboard.web.readable import whole

PAGE = 50
LONGEST = 80


@bp.get("/audit", endpoint="audit")
@access.permits(Act.READ_AUDIT)
def audit_log():
    """Show what was recorded, the newest first: all, of one thing or of one person."""
    thing, who = _typed("object"), _typed("who")
    rows = _rows(thing, who, whole(request.args.get("before")))
    page, more = rows[:PAGE], len(rows) > PAGE
    ids = {row.actor_id for row in page if row.actor_id}
    return render_template(
        "moderation/audit.html",
        rows=page,
        handles=queries.handles(ids),
        more=_more(page[-1].seq, thing, who) if more else None,
        thing=thing,
        who=who,
        chain=queries.chain_state(),
        anchor=anchors.last(current_app.config["AUDIT_ANCHORS"]),
    )


def _typed(name):
    return request.args.get(name, "").strip()[:LONGEST]


def _more(before, thing, who):
    return url_for("desk.audit", before=before, object=thing or None, who=who or None)


def _rows(thing, who, before):
    person = accounts.find_by_handle(who) if who else None
    if who and person is None:
        return []
    return audit.newest(
        before=before,
        object=thing or None,
        actor_id=person and person.id,
        limit=PAGE + 1,
    )
