"""What mirrors are told: whole entries, or tombstones that name one."""

from enum import StrEnum


class ChangeType(StrEnum):
    """How the public side of an entry changed."""

    LISTED = "listed"
    UPHELD = "upheld"
    APPEALED = "appealed"
    APPEAL_CLOSED = "appeal_closed"
    AMENDED = "amended"
    HIDDEN = "hidden"
    LIFTED = "lifted"
    EXPIRED = "expired"


TOMBSTONES = frozenset({ChangeType.LIFTED, ChangeType.EXPIRED})
