"""How prepared statements go to PostgreSQL: one, or several in one trip."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine

from tradeboard.core.compiling import Compiled, Statement, for_postgresql

Rows = Sequence[Sequence[Any]]

# The statement is unknown, as after DEALLOCATE, or its tables have changed.
OUTDATED = frozenset({b"26000", b"0A000"})
THERE_ALREADY = b"42P05"
# What libpq calls done, and rows, and a failure; and where it says which.
DONE, ROWS, FAILED, SQLSTATE = 1, 2, 7, ord("C")


@contextmanager
def told(engine: Engine, pooled: Any, text: str, given: Any = None) -> Iterator[None]:
    """Tell who counts or times statements of the one in the block."""
    seen: Any = (pooled, None, text.strip(), given, None, False)
    _tell(engine.dispatch.before_cursor_execute, seen)
    yield
    _tell(engine.dispatch.after_cursor_execute, seen)


def _tell(listeners: Any, *seen: Any) -> None:
    """Tell each listener of each statement."""
    for listener in listeners:
        for one in seen:
            listener(*one)


def meaning(row: Sequence[Any], known: Compiled) -> list[Any]:
    """Return what a row means that came as the database writes it."""
    return [
        None if value is None else read(value)
        for read, value in zip(known.readers, row, strict=True)
    ]


def ask(
    engine: Engine, pooled: Any, statement: Statement, values: Mapping[str, Any]
) -> Rows:
    """Ask by the driver's own calls; a plan of before a migration is made anew.

    In a transaction it is not asked again: what failed has ended that.
    """
    known, texts = for_postgresql(statement, values)
    dialect: Any = engine.dialect
    driver = pooled.dbapi_connection
    with told(engine, pooled, known.text, texts):
        result = _ask(dialect, driver, known, texts)
        if _is_outdated(result) and driver.forget(known.name):
            result = _ask(dialect, driver, known, texts)
        require_good(dialect, result)
    return _rows(result, known)


def _rows(result: Any, known: Compiled) -> Rows:
    get, across = result.get_value, range(result.nfields)
    return [
        meaning([get(at, column) for column in across], known)
        for at in range(result.ntuples)
    ]


def _ask(dialect: Any, driver: Any, known: Compiled, texts: list) -> Any:
    """Ask once; what this connection does not know is prepared first."""
    _prepare(dialect, driver, known)
    return driver.pgconn.exec_prepared(known.name, texts)


def _prepare(dialect: Any, driver: Any, known: Compiled) -> None:
    if known.name not in driver.known:
        made = driver.pgconn.prepare(known.name, known.text.encode())
        if made.error_field(SQLSTATE) != THERE_ALREADY:
            require_good(dialect, made)
        driver.known.add(known.name)


@dataclass(frozen=True)
class Waiting:
    """What goes to PostgreSQL with the next trip of a transaction, in this order.

    `then` are those who want to know what one of them found.
    """

    at_hand: Connection
    pooled: Any
    asked: list[tuple[Compiled, list]] = field(default_factory=list)
    then: list[tuple[int, Callable[[Rows], None]]] = field(default_factory=list)

    @classmethod
    def on(cls, at_hand: Connection, pooled: Any) -> "Waiting":
        """Return what waits on a connection; it goes whoever asks there next."""
        driver = pooled.dbapi_connection
        if driver.before is None:
            driver.before = cls(at_hand, pooled)
        return driver.before

    def __call__(self, *, ends: bool = False) -> list[Rows]:
        """Send it, with COMMIT if that `ends` the transaction; return what each found.

        Nobody who wants to know can refuse any more what has been committed. Who asks
        next may be anybody, and deaf: what is refused ends the transaction anyway.
        """
        try:
            return self._send(ends)
        except BaseException as error:
            self.pooled.dbapi_connection.refused = error
            raise

    def _send(self, ends: bool) -> list[Rows]:
        engine, driver = self.at_hand.engine, self.pooled.dbapi_connection
        dialect: Any = engine.dialect
        driver.before = None
        for known, _ in self.asked:
            _prepare(dialect, driver, known)
        seen = [
            (self.pooled, None, known.text, texts, None, False)
            for known, texts in self.asked
        ]
        _tell(engine.dispatch.before_cursor_execute, *seen)
        asked = [(known.name, texts) for known, texts in self.asked]
        results = driver.ask_each(asked, ends=ends and not self.then)
        for result, (known, _) in zip(results, self.asked, strict=False):
            if _is_outdated(result):
                driver.forget(known.name)
            require_good(dialect, result)
        for result in results[len(asked) :]:
            require_good(dialect, result)
        _tell(engine.dispatch.after_cursor_execute, *seen)
        found = [
            _rows(result, known)
            for result, (known, _) in zip(results, self.asked, strict=False)
        ]
        for at, then in self.then:
            then(found[at])
        return found


def _is_outdated(result: Any) -> bool:
    return result.status == FAILED and result.error_field(SQLSTATE) in OUTDATED


def require_good(dialect: Any, result: Any) -> None:
    """Raise what the driver would for all but an answer; "none" is one, too."""
    if result.status not in (DONE, ROWS):
        raise dialect.dbapi.errors.error_from_result(result)
