"""The two lists of a member."""

from enum import StrEnum


class CardSide(StrEnum):
    """Which list a card stands on."""

    HAVE = "have"
    WANT = "want"
