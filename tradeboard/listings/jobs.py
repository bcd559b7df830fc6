"""What time does to listings."""

from datetime import datetime, timedelta

from flask import current_app

from tradeboard.core.sweep import sweep
from tradeboard.listings import photos, queries, services

KEPT_UNNAMED = timedelta(days=1)
AT_ONCE = 500


def expire_listings(now: datetime) -> int:
    """End each open listing whose 30 days are over."""
    return sweep(queries.expired_ids(now), services.expire, now=now).done


def tell_of_ends(now: datetime) -> int:
    """Tell each owner once that a listing ends within three days."""
    return sweep(queries.ending_ids(now), services.tell_of_end, now=now).done


def clean_photos(now: datetime) -> int:
    """Delete files that no listing has named for a day."""
    uploads = current_app.config["UPLOADS"]
    old = photos.stale_ids(uploads, now - KEPT_UNNAMED)
    gone = 0
    for begin in range(0, len(old), AT_ONCE):
        some = old[begin : begin + AT_ONCE]
        unnamed = set(some) - queries.named_photos(some)
        photos.remove(uploads, unnamed)
        gone += len(unnamed)
    return gone
