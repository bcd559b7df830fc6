"""The three answers that a rule about identity can give."""

from enum import StrEnum


class Verdict(StrEnum):
    """A rule that cannot be certain never refuses; it asks for a review."""

    ACCEPT = "accept"
    REVIEW = "review"
    REFUSE = "refuse"
