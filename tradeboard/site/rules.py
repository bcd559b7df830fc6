"""Which settings a site has, and what may stand in them."""

from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum

from tradeboard.core.records import dataclass

LANGUAGES = ("ja", "en")
LONGEST_NAME = 40
LONGEST_WORDS = 500
LONGEST_ANNOUNCEMENT = 300
LONGEST_HELP = 30_000
LONGEST_SHOWN = timedelta(days=90)


class Level(StrEnum):
    """How loud an announcement is."""

    INFO = "info"
    WARN = "warn"


class Key(StrEnum):
    """What an admin can set; days, limits and ladders are rules, not settings."""

    NAME = "name"
    CONTACT_JA = "contact_ja"
    CONTACT_EN = "contact_en"
    REGISTRATION = "registration"
    GREETING_JA = "greeting_ja"
    GREETING_EN = "greeting_en"
    LANGUAGE = "language"


LONGEST = {
    Key.NAME: LONGEST_NAME,
    Key.CONTACT_JA: LONGEST_WORDS,
    Key.CONTACT_EN: LONGEST_WORDS,
    Key.GREETING_JA: LONGEST_WORDS,
    Key.GREETING_EN: LONGEST_WORDS,
}
CHOICES = {Key.REGISTRATION: ("open", "closed"), Key.LANGUAGE: LANGUAGES}


@dataclass(frozen=True)
class Settings:
    """What holds now; an empty text says that nobody has set one."""

    name: str = ""
    contact_ja: str = ""
    contact_en: str = ""
    registration: str = "open"
    greeting_ja: str = ""
    greeting_en: str = ""
    language: str = "ja"

    @property
    def registration_open(self) -> bool:
        """Tell whether anybody may register."""
        return self.registration == "open"

    def contact(self, language: str) -> str:
        """Return how to reach the operator, in a language."""
        return _either(self.contact_ja, self.contact_en, language)

    def greeting(self, language: str) -> str:
        """Return what stands above the board, in a language."""
        return _either(self.greeting_ja, self.greeting_en, language)

    def having(self, values: dict[str, str]) -> "Settings":
        """Return them with other values; a value that is no longer possible is not."""
        known = {key: value for key, value in values.items() if is_possible(key, value)}
        return replace(self, **known)


def _either(ja: str, en: str, language: str) -> str:
    """Return the words in a language, or in the other one if there are none."""
    return (en or ja) if language == "en" else (ja or en)


def is_possible(key: str, value: str) -> bool:
    """Tell whether a setting may have this value."""
    if key not in set(Key):
        return False
    if Key(key) in CHOICES:
        return value in CHOICES[Key(key)]
    return len(value) <= LONGEST[Key(key)]


@dataclass(frozen=True)
class Said:
    """An announcement as it stands above the pages."""

    id: int
    level: Level
    text_ja: str
    text_en: str
    starts_at: datetime
    ends_at: datetime

    def text(self, language: str) -> str:
        """Return it in a language."""
        return self.text_en if language == "en" else self.text_ja

    def is_current(self, now: datetime) -> bool:
        """Tell whether it is shown; at its end it no longer is."""
        return self.starts_at <= now < self.ends_at
