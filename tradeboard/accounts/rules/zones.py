"""Time zones that a member can choose: places by continent, not their codes."""

from collections.abc import Iterator
from functools import cache
from zoneinfo import available_timezones

from tradeboard.core.japan import ZONE
from tradeboard.core.messages import Message, message

AREAS = {
    "Asia": message("アジア"),
    "America": message("南北アメリカ"),
    "Europe": message("ヨーロッパ"),
    "Africa": message("アフリカ"),
    "Australia": message("オーストラリア"),
    "Pacific": message("太平洋"),
    "Atlantic": message("大西洋"),
    "Indian": message("インド洋"),
    "Antarctica": message("南極"),
}


@cache
def known() -> frozenset[str]:
    """Return every zone that is named after a place, and UTC."""
    places = (zone for zone in available_timezones() if zone.split("/")[0] in AREAS)
    return frozenset({ZONE, "UTC", *places})


def is_known(zone: str) -> bool:
    """Tell whether a zone can be chosen."""
    return zone in known()


def place(zone: str) -> str:
    """Return a zone as a reader looks for it: the place, then where it lies."""
    first, *others = reversed(zone.partition("/")[2].replace("_", " ").split("/"))
    return f"{first} ({', '.join(others)})" if others else first or zone


def by_area() -> Iterator[tuple[Message, list[tuple[str, str]]]]:
    """Yield each part of the world with its zones and places, by the alphabet."""
    for area, words in AREAS.items():
        zones = [zone for zone in known() if zone.startswith(f"{area}/")]
        yield words, sorted(((z, place(z)) for z in zones), key=lambda pair: pair[1])
