"""Tell people: queue mail and notices, note their fate, obey what people chose."""

from tradeboard.notifications.services.choosing import choose, stop
from tradeboard.notifications.services.delivery import (
    claim,
    forget_mails_to,
    forget_text,
    mark_failed,
    mark_sent,
    retry,
)
from tradeboard.notifications.services.digests import send_digest
from tradeboard.notifications.services.noticing import (
    forget_notices,
    open_notice,
    read_all,
    read_where_it_leads,
)
from tradeboard.notifications.services.queueing import (
    Reader,
    Telling,
    queue_mail,
    queue_mail_to,
    tell_first,
)

__all__ = [
    "Reader",
    "Telling",
    "choose",
    "claim",
    "forget_mails_to",
    "forget_notices",
    "forget_text",
    "mark_failed",
    "mark_sent",
    "open_notice",
    "queue_mail",
    "queue_mail_to",
    "read_all",
    "read_where_it_leads",
    "retry",
    "send_digest",
    "stop",
    "tell_first",
]
