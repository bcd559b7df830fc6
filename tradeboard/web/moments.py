"""How moments look on a page and in a mail: Japan time, the zone named."""

from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone

from flask import Flask
from flask_babel import get_locale

JST = timezone(timedelta(hours=9), "JST")
DAYS = {"ja": "月火水木金土日", "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")}
MONTHS = (
    ("January", "February", "March", "April", "May", "June", "July", "August")
    + ("September", "October", "November", "December")
)  # fmt: skip
PAST = {
    "ja": "期限を過ぎました。確認しています",
    "en": "The due time has passed. We are checking",
}
UNITS = {
    "ja": {"days": "日", "hours": "時間", "minutes": "分"},
    "en": {"days": "day", "hours": "hour", "minutes": "minute"},
}


def iso_jst(instant: datetime) -> str:
    """Return an instant for <time datetime>, to the second, with Japan's offset."""
    return in_japan(instant).isoformat(timespec="seconds")


def moment(instant: datetime, locale: str) -> str:
    """Return an instant in full, zone named: for mails and single sentences."""
    named = "%s（日本時間）" if locale == "ja" else "%s Japan time"
    return named % long_moment(instant, locale)


def long_moment(instant: datetime, locale: str) -> str:
    """Return an instant with its year; whoever shows it names the zone."""
    at = in_japan(instant)
    if locale == "ja":
        return f"{at.year}年{day(at, locale)} {at:%H:%M}"
    return f"{day(at, locale)} {at.year}, {at:%H:%M}"


def short_moment(instant: datetime, locale: str) -> str:
    """Return an instant without its year: for lists that name the zone once."""
    at = in_japan(instant)
    comma = "" if locale == "ja" else ","
    return f"{day(at, locale)}{comma} {at:%H:%M}"


def day(when: date, locale: str) -> str:
    """Return a day without its year; an instant falls on its day in Japan."""
    on = day_in_japan(when)
    weekday = DAYS[locale][on.weekday()]
    if locale == "ja":
        return f"{on.month}月{on.day}日({weekday})"
    return f"{weekday} {on.day} {MONTHS[on.month - 1][:3]}"


def month(when: date, locale: str) -> str:
    """Return a month with its year; an instant falls in its month in Japan."""
    on = day_in_japan(when)
    if locale == "ja":
        return f"{on.year}年{on.month}月"
    return f"{MONTHS[on.month - 1]} {on.year}"


def time_left(due: datetime, now: datetime, locale: str) -> str:
    """Return what is left until the due time, rounded down, in two units."""
    left = due - now
    if left <= timedelta(0):
        return PAST[locale]
    minutes = left // timedelta(minutes=1)
    hours = minutes // 60
    if hours >= 24:
        parts = {"days": hours // 24, "hours": hours % 24}
    else:
        parts = {"hours": hours, "minutes": minutes % 60}
    return in_words({unit: n for unit, n in parts.items() if n}, locale)


def in_words(parts: dict[str, int], locale: str) -> str:
    """Put counted units into words."""
    units = UNITS[locale]
    if locale == "ja":
        counted = "".join(f"{n}{units[unit]}" for unit, n in parts.items())
        return f"あと{counted or '1分未満'}"
    words = (f"{n} {units[unit]}{'' if n == 1 else 's'}" for unit, n in parts.items())
    return f"{' '.join(words) or 'less than 1 minute'} left"


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
    return "en" if found is not None and found.language == "en" else "ja"


def for_reader(function: Callable[..., str]) -> Callable[..., str]:
    """Make a filter of a function that wants the language last."""

    def in_readers_language(*args):
        return function(*args, reader_locale())

    return in_readers_language


def init_app(app: Flask) -> None:
    """Give the filters to the templates."""
    app.jinja_env.filters["iso_jst"] = iso_jst
    for function in (moment, long_moment, short_moment, day, month, time_left):
        app.jinja_env.filters[function.__name__] = for_reader(function)
