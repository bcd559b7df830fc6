"""The queue of entries, and who is at which of them."""

from flask import redirect, render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.blacklist import queries
from tradeboard.blacklist.rules import wording
from tradeboard.blacklist.rules.desk import Which
from tradeboard.blacklist.services import claims
from tradeboard.blacklist.staff import opened
from tradeboard.blacklist.staff.blueprint import bp
from tradeboard.core import clock, paging
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm
from tradeboard.web.readable import whole

RED = "red"


@bp.get("/entries")
@access.permits(Act.DECIDE_ENTRIES)
def queue():
    """Show what waits for a moderator: overdue on top, then the oldest."""
    now, text = clock.now(), request.args.get("show", "")
    which = Which(text) if text in set(Which) else Which.ALL
    found = queries.review_queue(
        which,
        paging.decode(request.args.get("after")),
        after_red=request.args.get("part") == RED,
        by_id=current_user.id,
        now=now,
    )
    page = paging.page(found, paging.PAGE_SIZE, "entered_at")
    return render_template(
        "blacklist/staff/queue.html",
        page=page,
        more_url=_more(page, which, now),
        which=which,
        claims=queries.claims_on([entry.id for entry in page.rows], now),
        is_red=queries.is_red,
        waiting=queries.count_waiting(now, current_user.id),
        wording=wording,
    )


def _more(page, which, now):
    if page.after is None:
        return None
    part = RED if queries.is_red(page.rows[-1], now) else None
    show = which.value if which is not Which.ALL else None
    return url_for("blacklist_staff.queue", show=show, after=page.after, part=part)


def _back_to(entry_id):
    """Return where the button stood: an entry's page, or that of its appeal."""
    appeal_id = whole(request.form.get("appeal"))
    if appeal_id is not None:
        return url_for("blacklist_staff.appeal", appeal_id=appeal_id)
    return opened.back_to(entry_id)


@bp.post("/entries/<int:entry_id>/claim")
@access.permits(Act.DECIDE_ENTRIES)
def claim(entry_id):
    """Be at an entry, or give it back."""
    form = ButtonForm()
    back = _back_to(entry_id)
    if not form.validate_on_submit():
        return redirect(back, 303)

    def happen():
        if request.form.get("do") == "leave":
            claims.leave(entry_id, by=current_user)
            return url_for("blacklist_staff.queue")
        claims.take(entry_id, by=current_user, now=clock.now())
        return back

    return act(form.submit_id.data, happen)
