"""How the databases are connected to; every wait has a limit."""

import time
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError

# So many seconds after its last use a connection is asked whether it is still there;
# before, that would only double what a look-up waits for.
IDLE = 1.0
USED_AT = "used at"

# All that the board asks, so that none is compiled twice.
STATEMENTS_KEPT = 5000

TRANSACTION = "transaction"  # Each transaction may meet another connection.
POOLERS = ("", TRANSACTION)

LIMITS = {
    "statement_timeout": "5000",
    "lock_timeout": "3000",
    "idle_in_transaction_session_timeout": "15000",
}

# Behind a pooler there is no session to set them in, so each transaction does.
SET_LIMITS = "SELECT " + ", ".join(
    f"set_config('{name}', '{value}', true)" for name, value in LIMITS.items()
)

# A network that drops packets and says nothing frees a thread within 30 seconds: what
# was sent is acknowledged within ten, what is waited for is asked after within 14.
NETWORK = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}


def engine_options(url: str, pooler: str = "") -> dict[str, Any]:
    """Return pool and time-outs for a database URL.

    What a statement was about stays out of its error, and so out of the log.
    """
    options: dict[str, Any] = {
        "hide_parameters": True,
        "query_cache_size": STATEMENTS_KEPT,
    }
    if url.startswith("sqlite"):
        return options | {"connect_args": {"check_same_thread": False}}
    return options | {
        "pool_size": 5,
        "max_overflow": 5,
        "pool_timeout": 5,
        "pool_use_lifo": True,  # What was asked last is still at hand there.
        "connect_args": NETWORK | _session(pooler),
    }


@event.listens_for(Engine, "do_connect")
def connect(dialect, _record, given, named):
    """Let the driver keep what it prepared, where it would forget it on each page."""
    if dialect.driver != "psycopg":
        return None
    from tradeboard.core.postgres import Connection

    return Connection.connect(*given, **named)


@event.listens_for(Engine, "checkin")
def note_use(_driver, record) -> None:
    """Note when a connection was given back to its pool."""
    record.info[USED_AT] = time.monotonic()


@event.listens_for(Engine, "checkout")
def look_after(driver, record, _proxy) -> None:
    """Ask an idle connection whether it is still there; if not, another is taken."""
    used_at = record.info.get(USED_AT)
    if used_at is None or time.monotonic() - used_at < IDLE:
        return
    if not hasattr(driver, "pgconn"):  # A file goes nowhere.
        return
    try:
        driver.execute("SELECT 1")
        driver.commit()  # After ROLLBACK the driver forgets what it prepared.
    except driver.Error as error:
        raise DisconnectionError from error


def _session(pooler: str) -> dict[str, Any]:
    """Return what a connection says at its start; a pooler refuses `options`.

    Statements prepared on one connection are unknown on the next.
    """
    if pooler == TRANSACTION:
        return {"prepare_threshold": None}
    set_at_start = {**LIMITS, "timezone": "UTC"}
    return {"options": " ".join(f"-c {n}={v}" for n, v in set_at_start.items())}
