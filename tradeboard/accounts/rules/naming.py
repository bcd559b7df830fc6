"""How often a person may take another name."""

from datetime import datetime, timedelta

AGAIN_AFTER = timedelta(days=30)


def may_rename_from(renamed_at: datetime | None) -> datetime | None:
    """Return from when on the next renaming is possible, or None for at any time.

    The first renaming never waits: `renamed_at` is the last one, not the registration.
    """
    return None if renamed_at is None else renamed_at + AGAIN_AFTER
