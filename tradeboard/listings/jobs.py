"""What time does to listings."""

from datetime import datetime, timedelta

from flask import current_app

from tradeboard.core import photo_store
from tradeboard.core.sweep import sweep
from tradeboard.core.transaction import transaction
from tradeboard.listings import photos, queries, services
from tradeboard.listings.queries import searches
from tradeboard.listings.services import searching

KEPT_UNNAMED = timedelta(days=1)


def expire_listings(now: datetime) -> int:
    """End each open listing whose 30 days are over."""
    return sweep(queries.expired_ids(now), services.expire, now=now).done


def tell_of_ends(now: datetime) -> int:
    """Tell each owner once that a listing ends within three days."""
    return sweep(queries.ending_ids(now), services.tell_of_end, now=now).done


def clean_photos(now: datetime) -> int:
    """Forget photos taken off a day ago, and delete files that no listing names."""
    with transaction():
        services.forget_dropped(before=now - KEPT_UNNAMED)
    store = photo_store.of(current_app.config).within(photos.SUBFOLDER)
    before = now - KEPT_UNNAMED
    return photo_store.remove_unnamed(store, queries.named_photos, before=before)


def mail_searches(now: datetime) -> int:
    """Tell members once a day what is new in the searches that they keep."""
    return sweep(searches.due_members(now), searching.tell, now=now).done
