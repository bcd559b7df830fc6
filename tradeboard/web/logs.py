"""One JSON line a request: no query strings, bodies, words or personal data."""

import logging
import re
import sys
import time
from collections.abc import MutableMapping
from functools import lru_cache
from typing import Any

from flask import Flask, g, request
from sqlalchemy import inspect

from tradeboard.core import doing
from tradeboard.core.doing import Doing
from tradeboard.core.lean import structlog
from tradeboard.web.error_pages import request_id
from tradeboard.web.throttling import wide_network

log = structlog.get_logger("tradeboard.request")

# All that a line may hold; what else somebody gives to a logger is left out.
KEYS = frozenset(
    {
        "account",
        "doing",
        "event",
        "exception",
        "id",
        "level",
        "logger",
        "method",
        "ms",
        "net",
        "route",
        "statement",
        "statements",
        "status",
        "timestamp",
    }
)
LONGEST = {"exception": 20_000}
LONGEST_TEXT = 4_000

# What JSON leaves as it is, and a terminal or a reader takes for something else.
UNSEEN = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# What a request is called that did what an auditor looks for.
EVENTS = {
    ("POST", "accounts.login"): "login",
    ("POST", "accounts.logout"): "logout",
    ("POST", "accounts.passkey_sign_in"): "login",
    ("POST", "accounts.prove"): "step-up",
    ("POST", "accounts.second_factor"): "second factor",
    ("POST", "accounts.reset_with"): "password reset",
    ("POST", "accounts.password"): "password change",
    ("POST", "privacy.export"): "export",
}
STAFF = "/desk"


def only_known_keys(
    _logger: Any, _method: str, line: MutableMapping[str, Any]
) -> dict[str, Any]:
    """Keep the keys of the list, and escape what could forge or hide a line."""
    known = doing.current()
    if known is not None:
        line.setdefault("id", known.id)
        if "route" not in line:
            line.setdefault("doing", known.name)
    return {key: _plain(key, line[key]) for key in line if key in KEYS}


def _plain(key: str, value):
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)[: LONGEST.get(key, LONGEST_TEXT)]
    return UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def set_up(level: str) -> None:
    """Write every log line as JSON on standard error; control characters escaped."""
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        # What is not written is not put together either.
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level]
        ),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                only_known_keys,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)


def init_app(app: Flask) -> None:
    """Log each request when it is over."""
    if not app.testing:
        set_up(app.config["LOG_LEVEL"])

    @app.before_request
    def start():
        g.started = time.perf_counter()
        doing.begin(Doing(doing.REQUEST, str(request.url_rule or ""), request_id()))

    @app.after_request
    def finish(response):
        response.headers["X-Request-ID"] = request_id()
        if request.endpoint != "static":
            known = doing.current()
            log.info(
                _event(response.status_code),
                id=request_id(),
                method=request.method,
                route=str(request.url_rule or ""),
                status=response.status_code,
                ms=round((time.perf_counter() - g.started) * 1000, 1)
                if "started" in g
                else None,
                statements=known.statements if known else None,
                account=_account(),
                net=_net(request.remote_addr or ""),
            )
        return response

    @app.teardown_request
    def forget(_error):
        doing.begin(None)


def _event(status: int) -> str:
    """Say in fixed words what the request was, beside its route."""
    known = doing.current()
    said = list(known.did) if known else []
    name = EVENTS.get((request.method, request.endpoint or ""))
    if name is None and request.method == "POST" and request.path.startswith(STAFF):
        name = "staff act"
    if name is not None:
        said.insert(0, name if status < 400 else f"{name} refused")
    return ", ".join(said) or "request"


@lru_cache(maxsize=4096)
def _net(address: str) -> str:
    return wide_network(address)


def _account():
    if g.get("outage") or "_login_user" not in g:
        return None
    known = inspect(g._login_user, raiseerr=False)
    if known is None:  # A reader of a few columns, or nobody.
        return getattr(g._login_user, "id", None)
    # Its number even after a change, when reading it would ask the database again.
    return known.identity[0] if known.identity else None
