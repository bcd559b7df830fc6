"""What is being done right now, for the log and the figures: a request, or a job."""

import contextlib
import secrets
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import field

from tradeboard.core.records import dataclass

REQUEST, JOB = "request", "job"


@dataclass
class Doing:
    """A request by its route or a job by its name; the id comes from nothing outside.

    `did` are the events that came of it, by their names; `limit` is the name of
    what it was done too often for.
    """

    kind: str
    name: str
    id: str = field(default_factory=lambda: secrets.token_hex(6))
    statements: int = 0
    did: list[str] = field(default_factory=list)
    limit: str | None = None


_current: ContextVar[Doing | None] = ContextVar("doing", default=None)


def current() -> Doing | None:
    """Return what is being done, if it is known."""
    return _current.get()


def begin(doing: Doing | None) -> None:
    """Begin with something, in place of what was done before in this thread."""
    _current.set(doing)


@contextlib.contextmanager
def job(name: str) -> Iterator[Doing]:
    """Let the block be one run of a job."""
    doing = Doing(JOB, name)
    token = _current.set(doing)
    try:
        yield doing
    finally:
        _current.reset(token)


def note(event: str) -> None:
    """Note an event by a fixed name: it holds nothing that somebody typed."""
    if (doing := _current.get()) is not None:
        doing.did.append(event)


def throttled(limit: str) -> None:
    """Note that something was done too often; the limit is one of few names."""
    if (doing := _current.get()) is not None:
        doing.limit = limit
        doing.did.append("throttled")
