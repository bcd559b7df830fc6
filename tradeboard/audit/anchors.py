"""Anchors of the log in a file that only grows, and in the system's log."""

import logging
import logging.handlers
import os
from collections.abc import Iterator
from pathlib import Path

from tradeboard.audit import rules
from tradeboard.audit.rules import Anchor

log = logging.getLogger(__name__)

LONGEST_LINE = 1024


def append(path: Path, anchor: Anchor) -> None:
    """Add one line that outlives a power cut."""
    line = rules.anchor_line(anchor) + "\n"
    if not _ends_whole(path):
        line = "\n" + line  # A disk was full once: what is left of a line stays alone.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    file = os.open(path, flags, 0o600)
    try:
        os.write(file, line.encode())
        os.fsync(file)
    finally:
        os.close(file)


def read(path: Path) -> Iterator[Anchor | None]:
    """Return the anchors that are there by now; None for a line that is not whole.

    What is appended while others are read is left out.
    """
    size = path.stat().st_size if path.exists() else 0
    return _read(path, size)


def last(path: Path) -> Anchor | None:
    """Return the newest anchor."""
    if not path.exists():
        return None
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - LONGEST_LINE))
        lines = file.read().decode(errors="replace").splitlines()
    found = (rules.read_anchor(line) for line in reversed(lines))
    return next((anchor for anchor in found if anchor), None)


class Syslog(logging.handlers.SysLogHandler):
    """Sends to the system's log; that it is away stops nobody."""

    def handleError(self, record):  # noqa: N802 - the library calls it so
        """Say in our own log that nothing was sent."""
        log.exception("an anchor did not reach syslog")


def tell_syslog(anchor: Anchor, address: str) -> None:
    """Send an anchor to the system's log: a socket, or `host:port`."""
    host, _, port = address.rpartition(":")
    where = (host, int(port)) if port.isdigit() else address
    words = f"tradeboard audit anchor {rules.anchor_line(anchor)}"
    record = log.makeRecord(log.name, logging.INFO, "", 0, words, (), None)
    try:
        handler = Syslog(where, Syslog.LOG_AUTH)
    except OSError:
        log.exception("an anchor did not reach syslog")
        return
    handler.handle(record)
    handler.close()


def _ends_whole(path: Path) -> bool:
    if not path.exists() or not path.stat().st_size:
        return True
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def _read(path: Path, size: int) -> Iterator[Anchor | None]:
    if not size:
        return
    with path.open("rb") as file:
        while size > 0 and (line := file.readline(LONGEST_LINE)):
            size -= len(line)
            if line.strip():
                yield rules.read_anchor(line.decode(errors="replace"))
