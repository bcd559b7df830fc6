"""Pages: what is new, how mails come, and the link in a mail that stops it."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from flask_login import current_user

from tradeboard.core import clock, signed
from tradeboard.core.errors import NotAllowed, RuleBroken
from tradeboard.core.paging import Page, decode, page
from tradeboard.core.transaction import transaction
from tradeboard.notifications import mailer, queries, services
from tradeboard.notifications.forms import ChoicesForm
from tradeboard.notifications.models import Notice
from tradeboard.notifications.rules import DAILY_MAIL, Kind
from tradeboard.notifications.rules.kinds import REQUIRED, WORDS
from tradeboard.web import throttling
from tradeboard.web.access import from_anywhere, public
from tradeboard.web.acting import act
from tradeboard.web.extensions import csrf
from tradeboard.web.fields import ButtonForm
from tradeboard.web.readable import whole

bp = Blueprint("notices", __name__)

PAGE_SIZE = 24
TEST_MAILS = "3 per hour"


@bp.get("/notices")
def index():
    """Show what is new, newest first; reading the list marks nothing."""
    after = decode(request.args.get("after"))
    rows = queries.notices_of(current_user.id, after=after, limit=PAGE_SIZE + 1)
    found: Page[Notice] = page(rows, PAGE_SIZE, "at")
    return render_template(
        "notifications/index.html",
        notices=found.rows,
        sentence=mailer.sentence,
        button=ButtonForm(formdata=None),
        unread=queries.unread_count(current_user.id),
        more=url_for(".index", after=found.after) if found.after else None,
        is_first=after is None,
    )


@bp.post("/notices/open")
def open_one():
    """Mark one notice as read, on every browser, and go where it leads."""
    number = whole(request.form.get("notice", ""))
    now = clock.now()
    with transaction():
        notice = services.open_notice(current_user.id, number or 0, now=now)
        target = notice.path
    return redirect(target, 303)


@bp.post("/notices/read")
def read_all():
    """Mark as read what the page showed and what is older."""
    up_to = whole(request.form.get("up_to", ""))
    with transaction():
        read = services.read_all(current_user.id, up_to=up_to, now=clock.now())
    done = ngettext("%(num)s件を既読にしました。", "%(num)s件を既読にしました。", read)
    flash(done, "ok")
    return redirect(url_for(".index"), 303)


@bp.route("/me/mails", methods=["GET", "POST"])
def mails():
    """Show which mails come and why, and let the optional ones be chosen."""
    form = ChoicesForm(data=queries.modes_of(current_user.id))
    if request.method == "GET":
        return _mails(form)
    if not form.validate_on_submit():
        return _mails(form), 422
    try:
        return act(form.submit_id.data, lambda: _choose(form))
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _mails(form), 422


def _mails(form):
    return render_template(
        "notifications/mails.html",
        form=form,
        kinds=WORDS,
        required=REQUIRED,
        button=ButtonForm(formdata=None),
    )


def _choose(form) -> str:
    modes = {kind.value: form[kind.value].data for kind in Kind}
    services.choose(current_user.id, modes, now=clock.now())
    flash(_("メールの受け取り方を変えました。"), "ok")
    return url_for(".mails")


@bp.post("/me/mails/test")
def test_mail():
    """Send a mail to try whether mail arrives."""
    form = ButtonForm()
    if not form.validate_on_submit():
        return _mails(ChoicesForm(data=queries.modes_of(current_user.id))), 422
    if not current_user.is_confirmed:
        # It may be the mailbox of somebody who has never heard of this board.
        raise NotAllowed(
            "本アドレスの確認が済むと、この操作ができます。"
            "届いたメールのリンクを開くか、マイページからもう一度送ってください。"
        )
    throttling.limit("test-mail", str(current_user.id), TEST_MAILS)
    return act(form.submit_id.data, lambda: _test(form.submit_id.data))


def _test(submit_id) -> str:
    now = clock.now()
    services.queue_mail(
        current_user,
        "notifications/mail/test.txt",
        key=f"test:{current_user.id}:{submit_id or now.isoformat()}",
        now=now,
        handle=current_user.handle,
        at=now,
    )
    sent = _("ためしのメールを送りました。")
    look = _("数分待っても届かないときは、迷惑メールのフォルダを見てください。")
    flash(f"{sent} {look}", "ok")
    return url_for(".mails")


@bp.get("/unsubscribe/<token>")
@public
def unsubscribe(token):
    """Ask whether mail of this kind shall stop; opening the page changes nothing."""
    return _unsubscribe(_read(token), is_done=False)


@bp.post("/unsubscribe/<token>")
@public
@from_anywhere
@csrf.exempt
def stop(token):
    """Stop mail of this kind: a mail program asks, without cookie or form token.

    A link that is none of ours gets the same kind of answer and changes nothing.
    """
    what = _read(token)
    if what is not None:
        with transaction():
            services.stop(*what, now=clock.now())
    return _unsubscribe(what, is_done=True)


def _read(token: str) -> tuple[int, str] | None:
    """Return whose mail of which kind a link stops."""
    account_id, _colon, what = (signed.read(mailer.UNSUBSCRIBE, token) or "").partition(
        ":"
    )
    if what not in {DAILY_MAIL, *Kind}:
        return None
    return int(account_id), what


def _unsubscribe(what, *, is_done):
    kind = None if what is None or what[1] == DAILY_MAIL else Kind(what[1])
    return render_template(
        "notifications/unsubscribe.html",
        is_done=is_done,
        is_known=what is not None,
        words=WORDS[kind][0] if kind else None,
    )
