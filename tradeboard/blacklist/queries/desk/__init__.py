"""What moderators see of entries: the queues, and one entry with both sides."""

from tradeboard.blacklist.queries.desk.appeals import (
    appeal_for_review,
    appeal_queue,
    count_appeals,
)
from tradeboard.blacklist.queries.desk.dossier import (
    Dossier,
    Side,
    entry_for_review,
)
from tradeboard.blacklist.queries.desk.queue import (
    Waiting,
    claims_on,
    count_waiting,
    find_claim,
    is_red,
    open_request_count,
    position,
    review_queue,
)

__all__ = [
    "Dossier",
    "Side",
    "Waiting",
    "appeal_for_review",
    "appeal_queue",
    "claims_on",
    "count_appeals",
    "count_waiting",
    "entry_for_review",
    "find_claim",
    "is_red",
    "open_request_count",
    "position",
    "review_queue",
]
