"""Where a change begins and ends; used by views, jobs and commands alike."""

from contextlib import contextmanager

from tradeboard.core.db import db, writing


@contextmanager
def transaction():
    """Commit what the block did, or nothing of it.

    Everything read before is read anew under the lock. Nesting, or a session that
    already holds changes, is a mistake of the caller and refused.
    """
    session = db.session
    if writing.get():
        raise RuntimeError("a transaction inside a transaction")
    if session.new or session.dirty or session.deleted:
        raise RuntimeError("changes made outside a transaction")
    session.rollback()
    token = writing.set(True)
    try:
        session.connection()
        yield
        session.commit()
    except BaseException:
        session.rollback()
        raise
    finally:
        writing.reset(token)
