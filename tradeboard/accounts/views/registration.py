"""Register, and ask for the confirmation mail again."""

from flask import redirect, render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts.forms import EmailForm, RegisterForm
from tradeboard.accounts.services import registration, sessions
from tradeboard.accounts.views import browser
from tradeboard.accounts.views.blueprint import bp
from tradeboard.accounts.views.mailbox import limit_mailbox
from tradeboard.core import clock, once
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling
from tradeboard.web.access import public, safe_next
from tradeboard.web.evenly import in_even_steps
from tradeboard.web.extensions import locale

PER_LINE = "30 per hour"
MAILS_PER_LINE = "20 per hour"
# Nobody is signed in yet: forms of strangers are kept under no account.
NOBODY = 0


@bp.route("/register", methods=["GET", "POST"])
@public
def register():
    """Make an account; free, taken and listed mailboxes get the same answer."""
    registration.require_open()
    form = RegisterForm()
    if request.method == "GET":
        form.next.data = safe_next(request.args.get("next")) or ""
        return render_template("accounts/register.html", form=form)
    if not form.validate_on_submit():
        return render_template("accounts/register.html", form=form), 422
    if once.find_target(NOBODY, form.submit_id.data):
        return redirect(url_for("accounts.registered"), 303)
    throttling.limit("register", throttling.network(), PER_LINE)
    limit_mailbox(form.email.data)
    following = safe_next(form.next.data)
    if form.is_of_a_program:
        return redirect(url_for("accounts.registered", next=following), 303)
    try:
        account, token = _register(form)
    except RuleBroken as refusal:
        if once.find_target(NOBODY, form.submit_id.data):
            return redirect(url_for("accounts.registered"), 303)
        _refuse(form, refusal)
        return render_template("accounts/register.html", form=form), 422
    browser.begin_session(account, token)
    return redirect(url_for("accounts.registered", next=following), 303)


def _register(form):
    typed = (form.handle.data, form.email.data, form.password.data)
    application = registration.prepare(*typed)
    now = clock.now()
    with transaction():
        account = registration.register(application, language=locale(), now=now)
        device = browser.note_device(account)
        token = sessions.sign_in(
            account, device=device, browser=browser.label(), now=now
        )
        target = url_for("accounts.registered")
        once.remember(NOBODY, form.submit_id.data, target, now=now)
    return account, token


def _refuse(form, refusal):
    """Show every reason at once, each beside its field."""
    typed = (form.handle.data, form.email.data, form.password.data)
    for problem in registration.problems(*typed) or [refusal]:
        form.refuse(problem)


@bp.get("/register/done")
@public
def registered():
    """Say where the mail went and what to do meanwhile."""
    return render_template(
        "accounts/registered.html", following=safe_next(request.args.get("next"))
    )


@bp.route("/confirm/resend", methods=["GET", "POST"])
@public
@in_even_steps
def resend():
    """Send the confirmation again; nobody is told who waits for one."""
    form = EmailForm()
    if request.method == "GET":
        if current_user.is_authenticated and not current_user.is_confirmed:
            form.email.data = current_user.email
        return render_template("accounts/resend.html", form=form)
    own = current_user.is_authenticated and not current_user.is_confirmed
    if not own and not form.validate_on_submit():
        return render_template("accounts/resend.html", form=form), 422
    throttling.limit("resend", throttling.network(), MAILS_PER_LINE)
    if not own and form.is_of_a_program:
        return redirect(url_for("accounts.registered"), 303)
    with transaction():
        if own:
            registration.send_again(current_user, now=clock.now())
        else:
            registration.send_again_to(form.email.data.strip(), now=clock.now())
    return redirect(url_for("accounts.registered"), 303)
