"""The blacklist for programs: look-ups, the feed, the whole list, and what they are."""

from tradeboard.blacklist.api import (  # noqa: F401 (their answers)
    bulk,
    changes,
    check,
    export,
)
from tradeboard.blacklist.api.blueprint import bp
from tradeboard.blacklist.api.pages import bp as pages_bp

__all__ = ["bp", "pages_bp"]
