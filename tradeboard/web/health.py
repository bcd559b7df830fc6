"""Health of the board and of its scheduler, for supervisors and proxies."""

from collections.abc import Callable
from datetime import datetime, timedelta

from flask import Blueprint, Flask, current_app
from sqlalchemy import select, text

from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.web.access import public

bp = Blueprint("health", __name__)

SWEEP = "sweep-overdue"
KEY = "tradeboard-lag"
NOTHING = timedelta(0)
RED_AFTER = timedelta(minutes=3)
# A sign of life from later than that is of a clock that was set back since.
SKEW = timedelta(minutes=1)

# Given a moment, how long the oldest waiting row has been waiting; None if none is.
Lag = Callable[[datetime], timedelta | None]


@bp.get("/healthz")
@public
def web():
    """Tell whether pages can be served: the database answers."""
    db.session.execute(text("SELECT 1"))
    return {"status": "ok"}


@bp.get("/healthz/scheduler")
@public
def scheduler():
    """Tell whether jobs run, and how late the oldest trade and the oldest mail are."""
    now = clock.now()
    ok_at = db.session.scalar(select(JobRun.ok_at).where(JobRun.name == SWEEP))
    lag, mail = (late(now) or NOTHING for late in current_app.extensions[KEY])
    quiet = ok_at is None or not -SKEW <= now - ok_at <= RED_AFTER
    red = quiet or lag > RED_AFTER or mail > NOTHING
    answer = {
        "status": "red" if red else "ok",
        "ok_at": ok_at and ok_at.isoformat(),
        "lag_s": round(lag.total_seconds()),
        "mail_s": round(mail.total_seconds()),
    }
    return answer, 503 if red else 200


def init_app(app: Flask, lag: Lag, mail: Lag) -> None:
    """Register the pages; `lag` is what the sweep is behind by, `mail` a late mail."""
    app.extensions[KEY] = (lag, mail)
    app.register_blueprint(bp)
