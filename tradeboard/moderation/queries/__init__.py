"""Read what moderators need, a module per page; this page gathers what others call."""

from tradeboard.moderation.queries.audit import ChainState, chain_state
from tradeboard.moderation.queries.comparing import Comparison, comparison
from tradeboard.moderation.queries.desk import (
    database,
    handles,
    is_scheduler_red,
    job_runs,
    queues,
    tallies,
)
from tradeboard.moderation.queries.holds import (
    count_holds,
    hold_for_desk,
    holds,
    open_notes,
)

__all__ = [
    "ChainState",
    "Comparison",
    "chain_state",
    "comparison",
    "count_holds",
    "database",
    "handles",
    "hold_for_desk",
    "holds",
    "is_scheduler_red",
    "job_runs",
    "open_notes",
    "queues",
    "tallies",
]
