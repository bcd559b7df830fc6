"""What every page shows of the site: kept in the process for some seconds.

Each process reads two small statements at most every ten seconds, so that no page pays
for them. While the database is away, the last that was known holds.
"""

import time
from contextlib import suppress
from datetime import datetime

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError

from tradeboard.core.db import apart
from tradeboard.core.records import dataclass
from tradeboard.site.models import Announcement, SettingChange
from tradeboard.site.rules import Said, Settings

FRESH_FOR_S = 10
MOST_SAID = 5


@dataclass(frozen=True)
class State:
    """The settings, and what is announced now or later."""

    settings: Settings = Settings()
    said: tuple[Said, ...] = ()


@dataclass
class _Kept:
    state: State = State()
    read_at: float | None = None


_kept = _Kept()


def state() -> State:
    """Return what holds, at most ten seconds old.

    Texts ask for it, and so do verbs in their transactions: that is not read in.
    """
    at = time.monotonic()
    if _kept.read_at is None or at - _kept.read_at > FRESH_FOR_S:
        with suppress(SQLAlchemyError), apart() as line:
            _kept.state = State(_settings(line), _said(line))
        _kept.read_at = at
    return _kept.state


def forget() -> None:
    """Read anew at the next page: something was changed."""
    _kept.read_at = None


def settings() -> Settings:
    """Return the settings that hold."""
    return state().settings


def current_announcements(now: datetime) -> list[Said]:
    """Return what stands above every page now, the newest first."""
    return [said for said in state().said if said.is_current(now)][:MOST_SAID]


def _settings(line: Connection) -> Settings:
    newest = select(func.max(SettingChange.id)).group_by(SettingChange.key)
    rows = line.execute(
        select(SettingChange.key, SettingChange.value).where(
            SettingChange.id.in_(newest)
        )
    )
    return Settings().having({row.key: row.value for row in rows})


def _said(line: Connection) -> tuple[Said, ...]:
    rows = line.execute(
        select(
            Announcement.id,
            Announcement.level,
            Announcement.text_ja,
            Announcement.text_en,
            Announcement.starts_at,
            Announcement.ends_at,
        )
        .order_by(Announcement.ends_at.desc(), Announcement.id.desc())
        .limit(50)
    )
    return tuple(Said(*row) for row in rows)
