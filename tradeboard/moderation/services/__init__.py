"""What staff does that belongs to no other feature; this page gathers it."""

from tradeboard.moderation.services.holds import (
    decide_hold,
    mark_shared,
    may_decide_hold,
)
from tradeboard.moderation.services.people import (
    lift_suspension,
    may_suspend,
    suspend,
)
from tradeboard.moderation.services.site import (
    announce,
    change_settings,
    end_announcement,
    publish_terms,
    write_help,
)
from tradeboard.moderation.services.spam import see_note, see_signal
from tradeboard.moderation.services.telling import (
    retry_mail,
    tell_anchor,
    tell_broken,
    tell_of_backups,
    tell_of_queues,
    tell_of_red,
)

__all__ = [
    "announce",
    "change_settings",
    "decide_hold",
    "end_announcement",
    "lift_suspension",
    "mark_shared",
    "may_decide_hold",
    "may_suspend",
    "publish_terms",
    "retry_mail",
    "see_note",
    "see_signal",
    "suspend",
    "tell_anchor",
    "tell_broken",
    "tell_of_backups",
    "tell_of_queues",
    "tell_of_red",
    "write_help",
]
