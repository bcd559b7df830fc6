"""One turn of the scheduler in a process of its own: `python -m bench.turn sweep AT`.

It prints one JSON object. `limit` does the same number of trades in the least way: for
each a transaction of three statements.
"""

import json
import sys
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from bench.serving import resident_mb
from tradeboard.core import garbage

IDLE_TURNS = 200


def sweep(at: datetime) -> dict[str, Any]:
    """Sweep what is due at a moment, and count statements."""
    from tradeboard.app import create_app
    from tradeboard.blacklist.jobs import sweep_overdue_trades

    app, seen = create_app(), [0]
    garbage.look_seldom()  # As the scheduler does.

    @event.listens_for(Engine, "before_cursor_execute")
    def count(*_) -> None:
        seen[0] += 1

    with app.app_context():
        before, began = resident_mb("self"), time.perf_counter()
        swept = sweep_overdue_trades(at)
        seconds = time.perf_counter() - began
    return {
        "seconds": seconds,
        "done": swept.done,
        "failed": swept.failed,
        "statements": seen[0] / max(1, swept.done),
        "rss_growth_mb": round(resident_mb("self") - before, 1),
    }


def idle(at: datetime) -> dict[str, Any]:
    """Look for what is due when nothing is, again and again."""
    from tradeboard.app import create_app
    from tradeboard.blacklist.jobs import sweep_overdue_trades
    from tradeboard.core.db import db

    app, took = create_app(), []
    garbage.look_seldom()
    with app.app_context():
        for _ in range(IDLE_TURNS):
            began = time.perf_counter()
            swept = sweep_overdue_trades(at)
            db.session.remove()
            took.append(time.perf_counter() - began)
            assert not swept.done
    return _spread(took[10:])


class Base(DeclarativeBase):
    """Base of what the limit writes."""


class LimitTrade(Base):
    """A trade, as little as can be swept."""

    __tablename__ = "bench_limit_trade"
    id: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[str]
    due_s: Mapped[int]


class LimitSanction(Base):
    """What became of it."""

    __tablename__ = "bench_limit_sanction"
    id: Mapped[int] = mapped_column(primary_key=True)
    trade_id: Mapped[int]


def limit(at: datetime) -> dict[str, Any]:
    """End each due trade in a transaction of its own: read, update, insert."""
    engine = _engine()
    due = _due(at)
    began = time.perf_counter()
    with Session(engine) as session:
        ids = [row.id for row in session.query(LimitTrade.id).filter(*due)]
    for trade_id in ids:
        with Session(engine) as session:
            trade = session.get_one(LimitTrade, trade_id, with_for_update=True)
            trade.state = "defaulted"
            session.add(LimitSanction(trade_id=trade_id))
            session.commit()
    return {"seconds": time.perf_counter() - began, "done": len(ids)}


def limit_idle(at: datetime) -> dict[str, Any]:
    """Ask the one indexed question when nothing is due."""
    engine, due, took = _engine(), _due(at), []
    for _ in range(IDLE_TURNS):
        began = time.perf_counter()
        with Session(engine) as session:
            assert not session.query(LimitTrade.id).filter(*due).limit(500).all()
        took.append(time.perf_counter() - began)
    return _spread(took[10:])


def _engine() -> Engine:
    import os

    from bench.limit import as_the_board

    engine = create_engine(os.environ["BENCH_LIMIT_URL"])
    event.listen(engine, "connect", as_the_board)
    garbage.look_seldom()
    return engine


def _due(at: datetime):
    seconds = int(at.timestamp())
    return LimitTrade.state == "shipped", LimitTrade.due_s <= seconds


def _spread(took: list[float]) -> dict[str, Any]:
    ordered = sorted(took)
    return {
        "p50_ms": ordered[len(ordered) // 2] * 1000,
        "p99_ms": ordered[int(len(ordered) * 0.99)] * 1000,
    }


TURNS: dict[str, Callable[[datetime], dict[str, Any]]] = {
    turn.__name__: turn for turn in (sweep, idle, limit, limit_idle)
}

if __name__ == "__main__":
    print(json.dumps(TURNS[sys.argv[1]](datetime.fromisoformat(sys.argv[2]))))
