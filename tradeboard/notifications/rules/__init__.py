"""When mail is sent, who is told what, and what may be switched off."""

from tradeboard.notifications.rules.delivery import (
    CLAIM,
    LADDER,
    RED_AFTER,
    TEXT_IS_KEPT,
    is_late,
    next_try,
)
from tradeboard.notifications.rules.digests import due_since
from tradeboard.notifications.rules.kinds import (
    DAILY_MAIL,
    DIGEST,
    OPTIONAL,
    Kind,
    MailMode,
    kind_of,
    stopped_by,
)
from tradeboard.notifications.rules.notices import (
    NOTICES,
    NOTICES_KEPT,
    SAID_ONCE,
    WITHOUT,
    is_noticed,
    kept_facts,
    path_of,
)

__all__ = [
    "CLAIM",
    "DAILY_MAIL",
    "DIGEST",
    "LADDER",
    "NOTICES",
    "NOTICES_KEPT",
    "OPTIONAL",
    "RED_AFTER",
    "SAID_ONCE",
    "TEXT_IS_KEPT",
    "WITHOUT",
    "Kind",
    "MailMode",
    "due_since",
    "is_late",
    "is_noticed",
    "kept_facts",
    "kind_of",
    "next_try",
    "path_of",
    "stopped_by",
]
