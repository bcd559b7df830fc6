"""Deadlines as a calendar file (RFC 5545): instants in UTC, nothing about people."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from tradeboard.core.records import dataclass

LONGEST_LINE = 75
_UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class Entry:
    """One deadline: `key` tells it from the others of its trade, for ever."""

    key: str
    at: datetime
    summary: str
    description: str
    url: str


def render(entries: Sequence[Entry], *, version: int, host: str, now: datetime) -> str:
    """Return the file; a later version of the same entry replaces an earlier one."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Tradeboard//Deadlines//EN"]
    lines += ["CALSCALE:GREGORIAN", "METHOD:PUBLISH"]
    for entry in entries:
        lines += _event(entry, version, host, now)
    lines.append("END:VCALENDAR")
    return "".join(fold(line) + "\r\n" for line in lines)


def fold(line: str) -> str:
    """Break a line after 75 octets at most, never inside of a character."""
    return "\r\n ".join(_pieces(line))


def escape(text: str) -> str:
    """Return a text as a value of the file holds it."""
    plain = _UNSEEN.sub("", text)
    for bare in ("\\", ";", ","):
        plain = plain.replace(bare, "\\" + bare)
    return plain.replace("\n", "\\n")


def _event(entry: Entry, version: int, host: str, now: datetime) -> list[str]:
    summary = escape(entry.summary)
    return [
        "BEGIN:VEVENT",
        f"UID:{entry.key}@{host}",
        f"SEQUENCE:{version}",
        f"DTSTAMP:{_utc(now)}",
        f"DTSTART:{_utc(entry.at)}",
        f"DTEND:{_utc(entry.at)}",
        f"SUMMARY:{summary}",
        f"DESCRIPTION:{escape(entry.description)}",
        f"URL:{entry.url}",
        "TRANSP:TRANSPARENT",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        "TRIGGER:-P1D",
        f"DESCRIPTION:{summary}",
        "END:VALARM",
        "END:VEVENT",
    ]


def _utc(instant: datetime) -> str:
    return instant.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _pieces(line: str) -> Iterator[str]:
    piece, size, room = "", 0, LONGEST_LINE
    for character in line:
        octets = len(character.encode())
        if size + octets > room:
            yield piece
            # The space that continues a line counts, too.
            piece, size, room = "", 0, LONGEST_LINE - 1
        piece, size = piece + character, size + octets
    yield piece
