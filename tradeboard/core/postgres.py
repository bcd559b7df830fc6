"""The connection to PostgreSQL, imported once one is made."""

from typing import Any

import psycopg
from psycopg.pq import TransactionStatus


class Connection(psycopg.Connection[Any]):
    """A connection that keeps its prepared statements from page to page.

    The driver forgets them, and the server with it, on each ROLLBACK; a page that only
    reads ends with one, and would have all its statements planned anew every time.
    """

    def rollback(self) -> None:
        """End a transaction; one that could write nothing is committed instead."""
        state = self.pgconn.transaction_status
        if self.read_only and state == TransactionStatus.INTRANS:
            self.commit()
        else:
            super().rollback()
