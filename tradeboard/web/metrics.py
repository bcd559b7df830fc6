"""`/metrics`: figures for Prometheus, for whoever holds the token; else not there."""

import hmac
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Flask, Response, abort, current_app, g, request

from tradeboard.core import clock, doing
from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.web.access import public

if TYPE_CHECKING:
    from tradeboard.web.measuring import Figures

bp = Blueprint("metrics", __name__)

KEY = "tradeboard-metrics"
TYPE = "text/plain; version=0.0.4; charset=utf-8"
KEPT_FOR = 5.0


@dataclass(frozen=True)
class Figure:
    """One figure of the whole board; `labels` tell it from others of its name."""

    name: str
    help: str
    value: float
    labels: dict[str, str] = field(default_factory=dict)


# Given a moment, the figures that the tables hold.
Read = Callable[[datetime], list[Figure]]


class _Measured:
    """The figures of this process, and those of the tables as they were lately."""

    def __init__(self, read: Read):
        self.read = read
        self.lock = threading.Lock()
        self.once: Any = None
        self.kept: list[Figure] = []
        self.kept_at = float("-inf")

    def own(self) -> "Figures":
        """Return what this process counts; the library is loaded only where it is."""
        if self.once is None:
            from tradeboard.web import measuring

            with self.lock:
                self.once = self.once or measuring.Once()
        named = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
        folder = Path(named or Path(current_app.instance_path) / "metrics")
        return self.once.get(folder, db.engine)

    def of_tables(self) -> list[Figure]:
        """Return the figures of the tables, at most a few seconds old."""
        with self.lock:
            if time.monotonic() - self.kept_at > KEPT_FOR:
                self.kept = self.read(clock.now())
                self.kept_at = time.monotonic()
            return self.kept


class _OfTables:
    """Hands figures to the library, those of one name together."""

    def __init__(self, figures: list[Figure]):
        self.figures = figures

    def collect(self) -> Iterator:
        """Return the figures as the library has them."""
        from prometheus_client.core import GaugeMetricFamily

        families: dict[str, GaugeMetricFamily] = {}
        for one in self.figures:
            names = sorted(one.labels)
            family = families.setdefault(
                one.name, GaugeMetricFamily(one.name, one.help, labels=names)
            )
            family.add_metric([one.labels[name] for name in names], one.value)
        yield from families.values()


@bp.get("/metrics")
@public
def show():
    """Answer the figures of all workers of this host, and of the tables."""
    token = current_app.config["METRICS_TOKEN"]
    if not token:
        abort(404)
    kind, _, sent = request.headers.get("Authorization", "").partition(" ")
    if kind != "Bearer" or not hmac.compare_digest(sent.encode(), token.encode()):
        abort(401)
    measured = current_app.extensions[KEY]
    text = measured.own().text(_OfTables(measured.of_tables()))
    return Response(text, content_type=TYPE, headers={"Cache-Control": "no-store"})


def count(response):
    """Count a request that is over; routes by their patterns, never as typed."""
    if not current_app.config["METRICS_TOKEN"] or request.endpoint == "static":
        return response
    known = doing.current()
    current_app.extensions[KEY].own().count(
        str(request.url_rule or ""),
        request.method,
        response.status_code,
        seconds=time.perf_counter() - g.started if "started" in g else 0.0,
        statements=known.statements if known else 0,
        limit=known.limit if known else None,
    )
    return response


def init_app(app: Flask, read: Read) -> None:
    """Register the page, and count each request where the setting says so."""
    app.extensions[KEY] = _Measured(read)
    app.after_request(count)
    app.register_blueprint(bp)
