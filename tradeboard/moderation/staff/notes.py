"""Notes: what a moderator should have seen, though it bars nobody."""

import re

from flask import render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock, paging
from tradeboard.moderation import queries, services
from tradeboard.moderation.rules import Which
from tradeboard.moderation.staff.blueprint import bp
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

CODE = re.compile(r"[a-z_.]{1,60}")


@bp.get("/notes")
@access.permits(Act.SEE_NOTES)
def notes():
    """Show what nobody has seen yet, the oldest first."""
    return _page(request.args.get("after"))


@bp.post("/notes/<int:note_id>/seen")
@access.permits(Act.SEE_NOTES)
def see_note(note_id):
    """Put a note away."""
    form = ButtonForm()
    if not form.validate_on_submit():
        return _page(None), 422

    def happen():
        services.see_note(note_id, by=current_user, now=clock.now())
        return url_for("desk.notes")

    return act(form.submit_id.data, happen)


def _page(after):
    found = queries.open_notes(paging.decode(after), but_of=current_user.id)
    return render_template(
        "moderation/notes.html",
        page=paging.page(found, paging.PAGE_SIZE, "made_at"),
        is_code=CODE.fullmatch,
        matches=queries.count_holds(Which.NOTES),
        new_button=lambda: ButtonForm(formdata=None),
    )
