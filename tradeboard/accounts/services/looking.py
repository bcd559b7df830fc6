"""Record that staff has looked at what is private: who, at whose, at what; ids only.

It stands in the audit log, so that it cannot be taken back. Admins read it beside the
person, and the person in the copy of the own data.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.audit import queries, services

LOOK = "look"
ONCE_IN = timedelta(hours=1)
RECENT = 50


def look(about: Collection[int], thing: str, *, by: Account, now: datetime) -> None:
    """Record a look at a thing of some people; of the same one once an hour.

    `thing` reads `trade:12`. Whoever is one of them looks at what is his own.
    """
    if by.id in about or not by.may(Act.OPEN_DESK):
        return
    for account_id in sorted(set(about)):
        whose = f"account:{account_id}"
        if not _is_known(whose, thing, by, now):
            services.record(LOOK, whose, by_id=by.id, now=now, thing=thing)


def _is_known(whose: str, thing: str, by: Account, now: datetime) -> bool:
    return any(
        row.actor_id == by.id
        and row.body.get("thing") == thing
        and now - row.at < ONCE_IN
        for row in queries.rows_of(whose, LOOK, limit=RECENT)
    )
