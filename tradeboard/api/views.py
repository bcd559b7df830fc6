"""Pages of one's own keys for programs."""

from flask import Blueprint, make_response, render_template, request, url_for
from flask_login import current_user

from tradeboard.accounts.services import sessions
from tradeboard.api import queries, rules, services
from tradeboard.api.forms import KeyForm
from tradeboard.core import clock, once
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.web import throttling
from tradeboard.web.acting import act
from tradeboard.web.fields import ButtonForm

bp = Blueprint("api", __name__)


@bp.route("/me/api-keys", methods=["GET", "POST"])
def keys():
    """Show the own keys; make one and show it this one time."""
    form = KeyForm()
    if request.method == "GET":
        return _page(form)
    if not form.validate_on_submit():
        return _page(form, 422)
    throttling.limit_own_password(current_user.id)
    try:
        name, shown = _make(form)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return _page(form, 422)
    except NotAllowed as refusal:
        form.refuse(refusal)
        return _page(form, 403)
    return _private(render_template("api/made.html", name=name, shown=shown))


def _make(form):
    """Make the key once; a button pressed twice shows no secret again."""
    sessions.check_own_password(current_user, form.password.data)
    now = clock.now()
    with transaction():
        if once.find_target(current_user.id, form.submit_id.data) is not None:
            raise Conflict(
                "鍵はもう作りました。鍵を控えていないときは、"
                "無効にして、新しく作ってください。"
            )
        key, shown = services.make(
            form.name.data,
            form.scopes.data,
            days=form.days,
            by=current_user,
            now=now,
        )
        once.remember(current_user.id, form.submit_id.data, url_for(".keys"), now=now)
        return key.name, shown


@bp.post("/me/api-keys/<int:key_id>/revoke")
def revoke(key_id):
    """Let one of the own keys open nothing any more."""
    form = ButtonForm()
    if not form.validate_on_submit():
        return _page(KeyForm(formdata=None), 422)

    def verb():
        key = queries.get_key_of(current_user.id, key_id)
        services.revoke(key, by=current_user, now=clock.now())
        return url_for(".keys")

    return act(form.submit_id.data, verb)


def _page(form, status=200):
    now = clock.now()
    page = render_template(
        "api/keys.html",
        form=form,
        keys=queries.keys_of(current_user.id),
        is_good=lambda key: rules.is_good(key.revoked_at, key.expires_at, now),
        names=rules.SCOPES,
        most=rules.MOST_KEYS,
        per_minute=f"{rules.PER_MINUTE:,}",
        new_button=lambda: ButtonForm(formdata=None),
    )
    return _private(page, status)


def _private(page, status=200):
    """Keep a page out of every cache."""
    response = make_response(page, status)
    response.headers["Cache-Control"] = "no-store"
    return response
