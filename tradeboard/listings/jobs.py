"""What time does to listings."""

from datetime import datetime, timedelta

from flask import current_app

from tradeboard.core import images
from tradeboard.core.sweep import sweep
from tradeboard.listings import photos, queries, services

KEPT_UNNAMED = timedelta(days=1)


def expire_listings(now: datetime) -> int:
    """End each open listing whose 30 days are over."""
    return sweep(queries.expired_ids(now), services.expire, now=now).done


def tell_of_ends(now: datetime) -> int:
    """Tell each owner once that a listing ends within three days."""
    return sweep(queries.ending_ids(now), services.tell_of_end, now=now).done


def clean_photos(now: datetime) -> int:
    """Delete files that no listing has named for a day."""
    folder = current_app.config["UPLOADS"] / photos.SUBFOLDER
    return images.clean(folder, queries.named_photos, before=now - KEPT_UNNAMED)
