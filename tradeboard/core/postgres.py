"""The connection to PostgreSQL, imported once one is made."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import psycopg
from psycopg import generators
from psycopg.abc import PQGen
from psycopg.errors import InFailedSqlTransaction
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult

Before = Callable[..., object]
Asked = tuple[bytes, list[Any]]
Found = TypeVar("Found")


class Connection(psycopg.Connection[Any]):
    """A connection that keeps its prepared statements from page to page.

    The driver forgets them, and the server with it, on each ROLLBACK; a page that only
    reads ends with one, and would have all its statements planned anew every time.
    `known` are those that `core.trips` has prepared; `before` sends what waits there
    for the next trip, whoever makes it. `refused` is why the transaction may not be
    committed, even if nobody heard it.
    """

    def __init__(self, *given: Any, **named: Any):
        super().__init__(*given, **named)
        self.known: set[bytes] = set()
        self.before: Before | None = None
        self.refused: BaseException | None = None
        self._outdated: set[bytes] = set()

    def wait(self, gen: PQGen[Found], *given: Any, **named: Any) -> Found:
        """Ask what the driver wants to ask, behind what waits."""
        before, self.before = self.before, None
        if before is not None:
            before()
        return super().wait(gen, *given, **named)

    def commit(self) -> None:
        """End a transaction, together with what waits."""
        before, self.before = self.before, None
        if before is not None:
            before(ends=True)
        if self.refused is not None:
            raise self.refused
        if self.pgconn.transaction_status == TransactionStatus.INERROR:
            raise InFailedSqlTransaction("COMMIT would undo what has failed")
        super().commit()

    def ask_each(self, asked: Sequence[Asked], *, ends: bool) -> list[PGresult]:
        """Ask several of `known` in one trip: libpq calls it a pipeline.

        They run in their order, in the transaction, which begins with them at the
        latest and ends with COMMIT if that is wanted. What follows a failure is not
        run.
        """
        return super().wait(self._in_one_trip(asked, ends))

    def _in_one_trip(self, asked: Sequence[Asked], ends: bool) -> PQGen[list[PGresult]]:
        line, begin = self.pgconn, self.is_idle()
        line.enter_pipeline_mode()
        try:
            if begin:
                how = b"BEGIN READ ONLY" if self.read_only else b"BEGIN"
                line.send_query_params(how, None)
            for name, texts in asked:
                line.send_query_prepared(name, texts)
            if ends:
                line.send_query_params(b"COMMIT", None)
            line.pipeline_sync()
            yield from generators.send(line)
            found: list[PGresult] = []
            for _ in range(begin + len(asked) + ends):
                found += yield from generators.fetch_many(line)
            yield from generators.fetch_many(line)  # Where the trip ends.
            line.exit_pipeline_mode()
        except BaseException:
            self.close()  # Nobody could tell which answer belongs to what.
            raise
        # If it could not even begin, that is the reason, and not what it led to.
        has_begun = begin and found[0].status == ExecStatus.COMMAND_OK
        return found[1:] if has_begun else found

    def is_idle(self) -> bool:
        """Tell whether no transaction has begun."""
        return self.pgconn.transaction_status == TransactionStatus.IDLE

    def rollback(self) -> None:
        """End a transaction; one that could write nothing is committed instead."""
        self.before = self.refused = None
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
        is_idle = self.is_idle()
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
