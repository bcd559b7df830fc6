"""Read reports, and what moderators know of people."""

from tradeboard.reports.queries.desk import (
    alike,
    around,
    handle_of,
    is_outsider,
    mails_after,
    newest_mail_id,
    queue,
)
from tradeboard.reports.queries.one import (
    Target,
    find_open,
    get_report,
    lock_report,
    target_of_listing,
    target_of_message,
    target_of_person,
)
from tradeboard.reports.queries.people import (
    History,
    get_own_warning,
    history,
    unseen_warnings,
    warnings_of,
)
from tradeboard.reports.queries.weights import numbers

__all__ = [
    "History",
    "Target",
    "alike",
    "around",
    "find_open",
    "get_own_warning",
    "get_report",
    "handle_of",
    "history",
    "is_outsider",
    "lock_report",
    "mails_after",
    "newest_mail_id",
    "numbers",
    "queue",
    "target_of_listing",
    "target_of_message",
    "target_of_person",
    "unseen_warnings",
    "warnings_of",
]
