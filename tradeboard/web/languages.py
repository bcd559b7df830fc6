"""The languages of the interface: Japanese is the source, English complete."""

from pathlib import Path

from flask_babel import force_locale, gettext

from tradeboard.core.messages import Message

CODES = ("ja", "en")
DEFAULT = "ja"


def choose(*wishes: str | None) -> str:
    """Return the first wish that is a language of ours."""
    return next((wish for wish in wishes if wish in CODES), DEFAULT)


def folder() -> str:
    """Return where the catalogues are."""
    return str(Path(__file__).parents[1] / "translations")


def translate(text: Message | str) -> str:
    """Say a marked message in the reader's language."""
    if isinstance(text, str):
        return gettext(text)
    gaps = {
        name: translate(gap) if isinstance(gap, Message) else gap
        for name, gap in text.gaps.items()
    }
    return gettext(text.text, **gaps) if gaps else gettext(text.text)


def translate_to(language: str, text: Message | str) -> str:
    """Say a marked message in a given language."""
    with force_locale(language):
        return translate(text)
