"""Where a change begins and ends; used by views, jobs and commands alike."""

from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar

from tradeboard.core import prepared
from tradeboard.core.db import db, writing, writing_on

Errand = Callable[[], object]
_errand: ContextVar[Errand | None] = ContextVar("errand", default=None)


@contextmanager
def transaction():
    """Commit what the block did, or nothing of it.

    Everything read before is read anew under the lock. Nesting, a session that already
    holds changes, or a block that ends the transaction itself, is a mistake of the
    caller and refused.
    """
    session = db.session
    if writing.get():
        raise RuntimeError("a transaction inside a transaction")
    if session.new or session.dirty or session.deleted:
        raise RuntimeError("changes made outside a transaction")
    session.rollback()
    session.expire_all()  # Also what was read in no transaction of this session.
    token, errand = writing.set(True), _errand.get()
    try:
        line = session.connection()
        writing_on.set(line)
        if errand is not None:
            send_along(None)
            errand()
        yield
        if line.closed:
            raise RuntimeError("a transaction that was ended inside of itself")
        prepared.settle()
        session.commit()
    except BaseException:
        session.rollback()
        send_along(errand)
        raise
    finally:
        writing_on.set(None)
        writing.reset(token)


def send_along(errand: Errand | None) -> None:
    """Let the next change of this thread begin with an errand, in its transaction.

    It spares a commit. A change that does not happen leaves the errand to the next
    one, or to `settle`.
    """
    _errand.set(errand)


def settle() -> None:
    """Run the errand that no change took along, in a transaction of its own."""
    if _errand.get() is not None:
        with transaction():
            pass
