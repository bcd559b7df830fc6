"""The languages of the interface: which there are, and what they say.

Japanese is the source and needs no catalogue. The table comes from the configuration;
a language more is one line there and one catalogue.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tradeboard.core.lean import Locale, NullTranslations, Translations

SOURCE = "ja"
DOMAIN = "messages"
PACKAGED = Path(__file__).parents[1] / "translations"


class _Table:
    """The languages of this process, each with its own name, and their catalogues."""

    names: Mapping[str, str] = {"ja": "日本語", "en": "English"}
    folder: Path = PACKAGED


def use(names: Mapping[str, str], folder: Path = PACKAGED) -> None:
    """Set the languages of this process, the source first."""
    if SOURCE not in names:
        raise ValueError(f"the source language is missing: {SOURCE}")
    _Table.names = {SOURCE: names[SOURCE], **names}
    _Table.folder = folder
    catalogue.cache_clear()


def names() -> Mapping[str, str]:
    """Return each language by its code, in its own words, the source first."""
    return _Table.names


def codes() -> tuple[str, ...]:
    """Return the codes of all languages, the source first."""
    return tuple(_Table.names)


def folder() -> Path:
    """Return where the catalogues are."""
    return _Table.folder


def choose(*wishes: str | None) -> str:
    """Return the first wish that is a language of ours."""
    known = (wish for wish in wishes if wish is not None and wish in _Table.names)
    return next(known, SOURCE)


def of_two(code: str) -> str:
    """Return in which of Japanese and English a text is read that has only these."""
    return SOURCE if code == SOURCE else "en"


@cache
def catalogue(code: str) -> NullTranslations:
    """Return what a language says; the source says everything as it is written."""
    if code == SOURCE:
        return NullTranslations()
    return Translations.load(_Table.folder, [code], DOMAIN)


@cache
def conventions(code: str) -> Locale:
    """Return how a language names days and months and writes numbers."""
    return Locale.parse(code, sep="-")
