"""What time does to lists: tell of new matches."""

from datetime import datetime

from tradeboard.cards import queries, services
from tradeboard.core.sweep import sweep


def tell_matches(now: datetime) -> int:
    """Tell each member, at most daily, of partners who are new."""
    return sweep(queries.due_for_news(now), services.tell_matches, now=now).done
