"""How moments look on a page and in a mail: Japan time, the zone named.

Whoever lives elsewhere reads the own time in brackets beside it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

from babel.units import format_unit
from flask import Flask, g, has_request_context
from flask_babel import get_locale

from tradeboard.core import languages
from tradeboard.core.japan import ZONE
from tradeboard.core.languages import catalogue, conventions
from tradeboard.core.records import dataclass

JST = timezone(timedelta(hours=9), "JST")


@dataclass(frozen=True)
class Pattern:
    """In which order a language writes the parts of a date."""

    day: str = "{weekday} {day} {short_month}"
    with_year: str = "{date} {year}"
    with_time: str = "{date}, {time}"
    month: str = "{month_name} {year}"
    between_units: str = " "


ELSEWHERE = Pattern()
PATTERNS = {
    "ja": Pattern(
        day="{month}月{day}日({weekday})",
        with_year="{year}年{date}",
        with_time="{date} {time}",
        month="{year}年{month}月",
        between_units="",
    ),
}

_zone: ContextVar[str | None] = ContextVar("zone", default=None)


def iso_jst(instant: datetime) -> str:
    """Return an instant for <time datetime>, to the second, with Japan's offset."""
    return in_japan(instant).isoformat(timespec="seconds")


def moment(instant: datetime, locale: str, zone: str = ZONE) -> str:
    """Return an instant in full, zone named: for mails and single sentences."""
    say = catalogue(locale).gettext
    time, own = long_moment(instant, locale), own_moment(instant, locale, zone)
    if own:
        text = say("%(time)s（日本時間、あなたの時間では%(own)s）")
        return text % {"time": time, "own": own}
    return say("%(time)s（日本時間）") % {"time": time}


def long_moment(instant: datetime, locale: str) -> str:
    """Return an instant with its year; whoever shows it names the zone."""
    at, pattern = in_japan(instant), _pattern(locale)
    dated = pattern.with_year.format(date=day(at, locale), year=at.year)
    return pattern.with_time.format(date=dated, time=f"{at:%H:%M}")


def short_moment(instant: datetime, locale: str) -> str:
    """Return an instant without its year: for lists that name the zone once."""
    return _short(in_japan(instant), locale)


def own_moment(instant: datetime, locale: str, zone: str) -> str:
    """Return an instant on the clock of another zone; nothing if that is Japan's."""
    at = in_japan(instant)
    own = at.astimezone(ZoneInfo(zone))
    return "" if own.utcoffset() == at.utcoffset() else _short(own, locale)


def _short(at: datetime, locale: str) -> str:
    date_there = _day(at.date(), locale)
    return _pattern(locale).with_time.format(date=date_there, time=f"{at:%H:%M}")


def day(when: date, locale: str) -> str:
    """Return a day without its year; an instant falls on its day in Japan."""
    return _day(day_in_japan(when), locale)


@lru_cache(maxsize=2000)
def _day(on: date, locale: str) -> str:
    names = conventions(locale)
    return _pattern(locale).day.format(
        day=on.day,
        month=on.month,
        weekday=names.days["format"]["abbreviated"][on.weekday()],
        short_month=names.months["format"]["abbreviated"][on.month],
    )


def month(when: date, locale: str) -> str:
    """Return a month with its year; an instant falls in its month in Japan."""
    on = day_in_japan(when)
    name = conventions(locale).months["stand-alone"]["wide"][on.month]
    pattern = _pattern(locale).month
    return pattern.format(year=on.year, month=on.month, month_name=name)


def time_left(due: datetime, now: datetime, locale: str) -> str:
    """Return what is left until the due time, rounded down, in two units."""
    left = due - now
    if left <= timedelta(0):
        return catalogue(locale).gettext("期限を過ぎました。確認しています")
    minutes = left // timedelta(minutes=1)
    hours = minutes // 60
    if hours >= 24:
        parts = {"day": hours // 24, "hour": hours % 24}
    else:
        parts = {"hour": hours, "minute": minutes % 60}
    return in_words({unit: n for unit, n in parts.items() if n}, locale)


def in_words(parts: dict[str, int], locale: str) -> str:
    """Put counted units into words."""
    say = catalogue(locale).gettext
    if not parts:
        return say("あと1分未満")
    counted = [_counted(n, unit, locale) for unit, n in parts.items()]
    between = _pattern(locale).between_units
    return say("あと%(time)s") % {"time": between.join(counted)}


@lru_cache(maxsize=2000)
def _counted(number: int, unit: str, locale: str) -> str:
    words = format_unit(number, f"duration-{unit}", "long", locale=conventions(locale))
    return words.replace(" ", _pattern(locale).between_units)


def _pattern(locale: str) -> Pattern:
    return PATTERNS.get(locale, ELSEWHERE)


def in_japan(instant: datetime) -> datetime:
    """Move an instant to Japan's clock; one without a zone is a mistake."""
    if instant.tzinfo is None:
        raise ValueError(f"an instant without a zone: {instant}")
    return instant.astimezone(JST)


def day_in_japan(when: date) -> date:
    """Return a day as it is, and an instant's day in Japan."""
    return in_japan(when).date() if isinstance(when, datetime) else when


def reader_locale() -> str:
    """Return the language of whoever reads."""
    found = get_locale()
    return languages.choose(None if found is None else str(found).replace("_", "-"))


def reader_zone() -> str:
    """Return the time zone of whoever reads."""
    forced = _zone.get()
    if forced is not None:
        return forced
    return g.get("account_time_zone", ZONE) if has_request_context() else ZONE


@contextmanager
def read_in(zone: str) -> Iterator[None]:
    """Write the own time of a reader who lives in this zone."""
    token = _zone.set(zone)
    try:
        yield
    finally:
        _zone.reset(token)


def for_reader(function: Callable[..., str]) -> Callable[..., str]:
    """Make a filter of a function that wants the language last."""

    def in_readers_language(*args):
        return function(*args, reader_locale())

    return in_readers_language


def for_reader_there(function: Callable[..., str]) -> Callable[..., str]:
    """Make a filter of a function that wants the language and then the zone."""

    def in_readers_language_and_zone(instant):
        return function(instant, reader_locale(), reader_zone())

    return in_readers_language_and_zone


def init_app(app: Flask) -> None:
    """Give the filters to the templates."""
    app.jinja_env.filters["iso_jst"] = iso_jst
    for function in (long_moment, short_moment, day, month, time_left):
        app.jinja_env.filters[function.__name__] = for_reader(function)
    app.jinja_env.filters["moment"] = for_reader_there(moment)
    app.jinja_env.filters["own_moment"] = for_reader_there(own_moment)
