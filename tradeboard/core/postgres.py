"""The connection to PostgreSQL, imported once one is made."""

from typing import Any

import psycopg
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus


class Connection(psycopg.Connection[Any]):
    """A connection that keeps its prepared statements from page to page.

    The driver forgets them, and the server with it, on each ROLLBACK; a page that only
    reads ends with one, and would have all its statements planned anew every time.
    `known` are those that `core.prepared` has prepared.
    """

    def __init__(self, *given: Any, **named: Any):
        super().__init__(*given, **named)
        self.known: set[bytes] = set()
        self._outdated: set[bytes] = set()

    def begin(self) -> None:
        """Begin a transaction as the driver would before its first statement."""
        if self.pgconn.transaction_status == TransactionStatus.IDLE:
            self.pgconn.exec_(b"BEGIN READ ONLY" if self.read_only else b"BEGIN")

    def rollback(self) -> None:
        """End a transaction; one that could write nothing is committed instead."""
        state = self.pgconn.transaction_status
        if self.read_only and state == TransactionStatus.INTRANS:
            self.commit()
            return
        super().rollback()
        while self._outdated:
            self.pgconn.exec_(b"DEALLOCATE " + self._outdated.pop())

    def forget(self, name: bytes) -> bool:
        """Drop one of `known`; in a transaction that has failed, once it is over.

        Tell whether it could be dropped at once. The driver's own statements stay: it
        does not notice that they were dropped.
        """
        self.known.discard(name)
        is_idle = self.pgconn.transaction_status == TransactionStatus.IDLE
        if is_idle:
            self.pgconn.exec_(b"DEALLOCATE " + name)
        else:
            self._outdated.add(name)
        return is_idle

    def _deallocate(self, name: bytes | None) -> PQGen[None]:
        """Notice that the driver drops all that is prepared, also by others."""
        if name is None:
            self.known.clear()
        yield from super()._deallocate(name)
