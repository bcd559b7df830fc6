"""Read what the operator says; this page gathers what others call."""

from tradeboard.site.queries.frame import (
    current_announcements,
    forget,
    settings,
    state,
)
from tradeboard.site.queries.history import (
    announcements,
    get_announcement,
    get_help_version,
    help_history,
    newest_help,
    setting_history,
)

__all__ = [
    "announcements",
    "current_announcements",
    "forget",
    "get_announcement",
    "get_help_version",
    "help_history",
    "newest_help",
    "setting_history",
    "settings",
    "state",
]
