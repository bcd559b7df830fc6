"""The pages of the desk that belong to no other feature."""

from tradeboard.moderation.staff import (  # noqa: F401 (their pages)
    announcements,
    audit,
    desk,
    help,
    holds,
    notes,
    people,
    signals,
    site,
    stats,
    system,
    terms,
    tools,
)
from tradeboard.moderation.staff.blueprint import bp

__all__ = ["bp"]
