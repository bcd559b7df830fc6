"""Pages: take a copy of one's own data."""

import tempfile

from flask import (
    Blueprint,
    current_app,
    make_response,
    render_template,
    request,
    send_file,
)
from flask_login import current_user

from tradeboard.accounts.services import sessions
from tradeboard.audit import services as audit
from tradeboard.core import clock, once, photo_store
from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import message
from tradeboard.core.transaction import transaction
from tradeboard.privacy.forms import ExportForm
from tradeboard.privacy.services import archive
from tradeboard.trades import queries as trades
from tradeboard.web import throttling

bp = Blueprint("privacy", __name__)

COPIES = "1 per day"
ONE_A_DAY = message(
    "データの書き出しは1日に1回までです。明日、もう一度お試しください。"
)


@bp.route("/me/export", methods=["GET", "POST"])
def export():
    """Say what is in the copy; send it to whoever knows the password, once a day."""
    form = ExportForm()
    if request.method == "GET":
        return _page(form)
    if not form.validate_on_submit():
        return _page(form, 422)
    throttling.limit_own_password(current_user.id)
    try:
        sessions.check_own_password(current_user, form.password.data)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form, 422)
    _count(form.submit_id.data)
    return _download()


def _count(submit_id: str | None) -> None:
    """Count one copy a day; a button pressed twice is one copy, sent again."""
    owner_id, now = current_user.id, clock.now()
    if once.find_target(owner_id, submit_id) is not None:
        return
    throttling.limit("export", str(owner_id), COPIES, text=ONE_A_DAY)
    with transaction():
        once.remember(owner_id, submit_id, request.path, now=now)
        audit.record("export", f"account:{owner_id}", by_id=owner_id, now=now)


def _download():
    """Send the copy from a file that is gone when it has been sent."""
    now = clock.now()
    file = tempfile.TemporaryFile()  # noqa: SIM115 (closed when it has been sent)
    try:
        archive.write(
            file,
            current_user._get_current_object(),
            readme=render_template("privacy/readme.txt", now=now),
            store=photo_store.of(current_app.config),
        )
    except BaseException:
        file.close()
        raise
    file.seek(0)
    answer = send_file(
        file,
        mimetype="application/zip",
        as_attachment=True,
        download_name=f"tradeboard-{trades.day_in_japan(now)}.zip",
    )
    answer.headers["Cache-Control"] = "private, no-store"
    return answer


def _page(form, status=200):
    return make_response(render_template("privacy/export.html", form=form), status)
