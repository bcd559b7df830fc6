"""Read which keys the entries name."""

from collections import Counter

from sqlalchemy import select, true

from tradeboard.blacklist.models import Entry
from tradeboard.core import kids


def rows_by_key(purpose: str) -> Counter[str]:
    """Return how often entries name each key of a purpose."""
    if purpose == "email":
        return kids.counted(select(Entry.email_kid))
    if purpose == "phone":
        kid, numbers = kids.in_list(Entry.phone_hashes)
        named = select(kid.label("kid")).select_from(Entry).join(numbers, true())
        return kids.counted(named)
    return Counter()
