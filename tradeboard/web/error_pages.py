"""Turn a refusal into a page, or into JSON under /api."""

import logging
import secrets
from http import HTTPStatus

from flask import Flask, Response, g, jsonify, render_template, request, url_for
from flask_babel import gettext as _
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm.exc import StaleDataError
from werkzeug.exceptions import HTTPException, SecurityError

from tradeboard.core import clock, doing, errors
from tradeboard.core.db import db
from tradeboard.core.keyring import KeyMissing
from tradeboard.web import access
from tradeboard.web.languages import translate

log = logging.getLogger(__name__)

STATUS: dict[type[errors.Refusal], int] = {
    errors.NotFound: 404,
    errors.Unproven: 401,
    errors.NotAllowed: 403,
    errors.Conflict: 409,
    errors.RuleBroken: 422,
    errors.TooMany: 429,
    errors.NotStored: 503,
    errors.NoRoom: 507,
    errors.Unknown: 503,
}

# What the framework says about a refusal beside its text.
KEPT = ("Allow", "Retry-After")

# What goes with a status, whoever is refused.
ALWAYS_SAID = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "30"}}

# What a form holds that is no typed text.
NOT_TYPED = frozenset({"csrf_token", "password", "new_password", "code"})


def words(status: int) -> str:
    """Say what an HTTP status means for the person."""
    sentences = {
        400: _("送られた内容を読み取れませんでした。"),
        401: _("ログインが必要です。"),
        403: _("この操作はできません。"),
        404: _("ページが見つかりません。"),
        405: _("この開き方はできません。"),
        415: _("この形式は受け付けていません。JSON で送ってください。"),
        413: _("送られた内容が大きすぎます。写真は1枚8MBまで、1回に50MBまでです。"),
        429: _("短い時間に回数が多すぎます。しばらくしてからお試しください。"),
        503: _("いまは確認できません。しばらくしてからお試しください。"),
    }
    return sentences.get(
        status,
        _("こちらの不具合です。記録しました。しばらくしてからお試しください。"),
    )


def show_refusal(error: errors.Refusal):
    """Answer a refusal with its own text."""
    status = STATUS[type(error)]
    headers = dict(ALWAYS_SAID.get(status, {}))
    retry_at = getattr(error, "retry_at", None)
    if retry_at is not None:
        seconds = max(1, round((retry_at - clock.now()).total_seconds()))
        headers["Retry-After"] = str(seconds)
    return respond(translate(error.message), status, headers)


def show_lost_race(_error):
    """Tell the slower of two people to look again."""
    db.session.rollback()
    text = _("ほかの人が先に更新しました。いまの状態をもう一度ご確認ください。")
    return respond(text, 409)


def show_outage(error):
    """Say that we do not know: a look-up must never turn that into "none"."""
    log.error("database: %s", type(error).__name__, exc_info=error)
    access.nobody_is_known()
    return respond(words(503), 503, ALWAYS_SAID[503])


def show_http_error(error: HTTPException):
    """Answer what the framework refused."""
    status = error.code or 500
    if error.response is not None:
        return error.response
    if isinstance(error, SecurityError):  # Of a host that is not ours no page knows.
        return Response(words(status), status, mimetype="text/plain")
    said = dict(error.get_headers())
    return respond(words(status), status, {n: said[n] for n in KEPT if n in said})


def show_failure(error):
    """Answer a mistake of ours: a page with a number to find it by."""
    log.exception("request %s failed", request_id(), exc_info=error)
    return respond(words(500), 500)


def show_expired_form(error: CSRFError):
    """Give the form back with all that was typed, and a fresh token."""
    doing.note("form token refused")
    if access.is_for_programs():
        return respond(words(400), 400)
    typed = [
        (name, value)
        for name, value in request.form.items(multi=True)
        if name not in NOT_TYPED
    ]
    page = render_template("resubmit.html", fields=typed, action=request.full_path)
    return page, 400


def request_id() -> str:
    """Return the number of this request, for the log and the error page."""
    if "request_id" not in g:
        g.request_id = secrets.token_hex(6)
    return g.request_id


def respond(
    message: str,
    status: int,
    headers: dict[str, str] | None = None,
    way_out: tuple[str, str] | None = None,
):
    """Say it in the shape that the caller reads; `way_out` is an address, named."""
    headers = headers or {}
    next_url, next_label = way_out or (url_for("listings.board"), _("募集の一覧へ"))
    if access.is_for_programs():
        return _as_json(message, status), status, headers
    page = render_template(
        "error.html",
        status=status,
        message=message,
        request_id=request_id(),
        next_url=next_url,
        next_label=next_label,
    )
    return page, status, headers


def _as_json(message: str, status: int):
    """Describe a problem as RFC 9457 does; of an outage say that it is unknown."""
    if status == 503:
        as_of = clock.now().isoformat()
        return jsonify(status="unknown", as_of=as_of, entries=[], detail=message)
    title = HTTPStatus(status).phrase
    response = jsonify(type="about:blank", title=title, status=status, detail=message)
    response.mimetype = "application/problem+json"
    return response


def init_app(app: Flask) -> None:
    """Register the handlers."""
    app.register_error_handler(errors.Refusal, show_refusal)
    app.register_error_handler(StaleDataError, show_lost_race)
    app.register_error_handler(IntegrityError, show_lost_race)
    app.register_error_handler(DBAPIError, show_outage)
    app.register_error_handler(PoolTimeout, show_outage)
    app.register_error_handler(KeyMissing, show_failure)
    app.register_error_handler(CSRFError, show_expired_form)
    app.register_error_handler(HTTPException, show_http_error)
    app.register_error_handler(Exception, show_failure)
