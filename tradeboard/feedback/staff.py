"""What moderators do to feedback: hide its words, or show them again."""

from flask import Blueprint, flash, render_template, url_for
from flask_babel import gettext as _
from flask_login import current_user

from tradeboard.accounts.rules.permissions import Act
from tradeboard.core import clock
from tradeboard.core.errors import RuleBroken
from tradeboard.feedback import queries, rules, services
from tradeboard.feedback.forms import HideForm
from tradeboard.web import access
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

bp = Blueprint("feedback_staff", __name__)
bp.before_request(access.require_staff)


@bp.route("/desk/feedback/<int:feedback_id>", methods=["GET", "POST"])
@access.permits(Act.HIDE_WORDS)
def show(feedback_id: int):
    """Show what somebody said of a trade; hide the words for a reason."""
    form = HideForm()

    def hide() -> str:
        reason = form.reason.data or ""
        services.hide_words(feedback_id, reason, by=current_user, now=clock.now())
        flash(_("言葉を非表示にしました。"), "ok")
        return url_for(".show", feedback_id=feedback_id)

    status = 200
    if form.is_submitted():
        status = 422
        if form.validate():
            try:
                return act(form.submit_id.data, hide)
            except RuleBroken as refusal:
                form.refuse(refusal)
    page = render_template(
        "feedback/staff/show.html",
        row=queries.get_shown(feedback_id),
        reasons=rules.HIDE_REASONS,
        form=form,
    )
    return page, status


@bp.post("/desk/feedback/<int:feedback_id>/restore")
@access.permits(Act.HIDE_WORDS)
def restore(feedback_id: int):
    """Show the words again."""

    def put_back() -> str:
        services.restore_words(feedback_id, by=current_user, now=clock.now())
        flash(_("言葉を元に戻しました。"), "ok")
        return url_for(".show", feedback_id=feedback_id)

    return act(ButtonForm().submit_id.data, put_back)
