"""What the operator says of the site, given to the frame of every page."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol

from flask import Flask, current_app, g

from tradeboard.core import clock
from tradeboard.core.languages import of_two
from tradeboard.core.messages import message
from tradeboard.web import extensions
from tradeboard.web.languages import translate

LANGUAGE = "tradeboard-site-language"
# The name that comes with the board is translated; one that was given is not.
SHIPPED = message("トレード掲示板")


class Settings(Protocol):
    """What is needed of the settings."""

    @property
    def name(self) -> str:
        """Return the name that an admin gave, or nothing."""

    @property
    def registration_open(self) -> bool:
        """Tell whether anybody may register."""

    @property
    def language(self) -> str:
        """Return the language for who has wished for none."""

    def greeting(self, language: str) -> str:
        """Return what stands above the board."""

    def contact(self, language: str) -> str:
        """Return how to reach the operator."""


def init_app(
    app: Flask,
    settings: Callable[[], Settings],
    announcements: Callable[[datetime], Sequence[Any]],
) -> None:
    """Give templates what is said; the two come from the site."""
    app.extensions[LANGUAGE] = lambda: "" if g.get("outage") else settings().language

    @app.context_processor
    def said():
        if g.get("outage"):
            return _of(None, [])
        return _of(settings(), announcements(clock.now()))


def _of(settings: Settings | None, announcements: Sequence[Any]) -> dict[str, Any]:
    reader = of_two(extensions.locale())
    shipped = current_app.config["SITE_NAME"]
    if shipped == SHIPPED.text:
        shipped = translate(SHIPPED)
    return {
        "site_name": (settings.name if settings else "") or shipped,
        "announcements": [
            (one.level.value, one.text(reader), reader) for one in announcements
        ],
        "registration_open": settings.registration_open if settings else True,
        "greeting": settings.greeting(reader) if settings else "",
        "site_contact": settings.contact(reader) if settings else "",
    }
