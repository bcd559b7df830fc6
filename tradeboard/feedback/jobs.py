"""What happens to feedback by the clock."""

from datetime import datetime

from tradeboard.core.sweep import Swept, sweep
from tradeboard.feedback import queries, services


def reveal(now: datetime) -> Swept:
    """Show feedback that has waited 14 days for the partner's."""
    return sweep(queries.due_trade_ids(now), services.reveal, now=now)
