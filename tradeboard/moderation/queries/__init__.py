"""Read what moderators need, a module per page; this page gathers what others call."""

from tradeboard.moderation.queries.audit import ChainState, chain_state
from tradeboard.moderation.queries.comparing import Comparison, comparison
from tradeboard.moderation.queries.desk import (
    database,
    handles,
    is_scheduler_red,
    job_runs,
    queues,
    sweep_ok_at,
    tallies,
)
from tradeboard.moderation.queries.holds import (
    count_holds,
    hold_for_desk,
    holds,
    open_notes,
)
from tradeboard.moderation.queries.people import find_people
from tradeboard.moderation.queries.spam import signals, titles
from tradeboard.moderation.queries.stats import CHARTS

__all__ = [
    "CHARTS",
    "ChainState",
    "Comparison",
    "chain_state",
    "comparison",
    "count_holds",
    "database",
    "find_people",
    "handles",
    "hold_for_desk",
    "holds",
    "is_scheduler_red",
    "job_runs",
    "open_notes",
    "queues",
    "signals",
    "sweep_ok_at",
    "tallies",
    "titles",
]
