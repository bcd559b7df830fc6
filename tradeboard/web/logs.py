"""One JSON line a request: no query strings, bodies, words or personal data."""

import logging
import sys
import time

import structlog
from flask import Flask, g, request
from flask_login import current_user

from tradeboard.web.error_pages import request_id

log = structlog.get_logger("tradeboard.request")


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
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
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

    @app.after_request
    def finish(response):
        if request.endpoint != "static":
            log.info(
                "request",
                id=request_id(),
                method=request.method,
                route=str(request.url_rule or ""),
                status=response.status_code,
                ms=round((time.perf_counter() - g.started) * 1000, 1)
                if "started" in g
                else None,
                account=_account(),
            )
        return response


def _account():
    if g.get("outage") or "_login_user" not in g:
        return None
    return current_user.id if current_user.is_authenticated else None
