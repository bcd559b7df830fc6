"""Tell members of a new version of the terms, some at a time."""

from datetime import datetime

from tradeboard.core.transaction import transaction
from tradeboard.terms import queries, services


def tell_of_version(now: datetime) -> int:
    """Mail active members who have not been told of the newest version yet."""
    version = queries.newest()
    if version is None or not services.is_told_of(version, now):
        return 0
    ids = queries.untold_ids(version, now)
    if not ids:
        return 0
    with transaction():
        services.tell_of_version(version.number, ids, now=now)
    return len(ids)
