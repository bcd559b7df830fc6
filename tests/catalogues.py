"""Translations: compile them, and find what is missing."""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

FOLDER = Path(__file__).parents[1] / "tradeboard" / "translations"


def compile_all() -> None:
    """Write each catalogue's .mo, if it is older than the .po."""
    for source in FOLDER.glob("*/LC_MESSAGES/messages.po"):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parts[-3])
        part = target.with_suffix(f".{source.stat().st_mtime_ns}.part")
        with part.open("wb") as file:
            write_mo(file, catalogue)
        part.replace(target)
