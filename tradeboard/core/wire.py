"""How values go to a database past SQLAlchemy, and come back from it."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Boolean, Enum, Integer, String

from tradeboard.core.db import SQLITE_FORMAT, UtcDateTime

Convert = Callable[[Any], Any]


def reader(kind: Any, dialect: str) -> Convert:
    """Return what turns a value as it comes into what it means."""
    on_sqlite = dialect == "sqlite"
    if isinstance(kind, Boolean):
        return bool if on_sqlite else b"t".__eq__
    if isinstance(kind, Integer):
        return int
    if isinstance(kind, UtcDateTime):
        return datetime.fromisoformat if on_sqlite else _moment
    if isinstance(kind, Enum) and kind.enum_class is not None:
        states = {state.value: state for state in kind.enum_class}
        known = states if on_sqlite else {v.encode(): s for v, s in states.items()}
        return known.__getitem__
    if isinstance(kind, JSON):
        return json.loads
    if isinstance(kind, String | Enum):
        return str if on_sqlite else bytes.decode
    raise TypeError(f"no reader for {kind!r}")


def for_sqlite(value: Any) -> Any:
    """Return a value as SQLite keeps it."""
    if isinstance(value, datetime):
        return value.strftime(SQLITE_FORMAT)
    return as_json(value) if isinstance(value, list) else value


def for_postgresql(value: Any) -> bytes | None:
    """Return a value as the text that PostgreSQL reads."""
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.isoformat().encode()
    if isinstance(value, list):
        value = "{" + ",".join(map(_quoted, value)) + "}"
    return whole(str(value)).encode()


def as_json(texts: list[str]) -> str:
    """Return a list of texts as one, for SQLite."""
    return json.dumps([whole(text) for text in texts])


def whole(text: str) -> str:
    """Refuse what would be cut short at NUL, and find what is called so."""
    if "\0" in text:
        raise ValueError("a text with NUL")
    return text


def _moment(shown: bytes) -> datetime:
    return datetime.fromisoformat(shown.decode())


def _quoted(text: str) -> str:
    """Write a text as it stands in an array."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
