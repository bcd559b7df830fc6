"""Drafts: kept as they were typed, mistakes included, and never merged."""

from datetime import datetime
from typing import Any

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.errors import RuleBroken
from tradeboard.listings import queries
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState, states
from tradeboard.listings.services import pictures


def start(form: dict[str, Any], *, by: Account, now: datetime) -> Listing:
    """Keep the beginning of a listing."""
    if queries.count_drafts(by.id) >= states.MOST_DRAFTS:
        raise RuleBroken(
            "下書きは%(n)s件までです。使わない下書きを破棄してください。",
            n=states.MOST_DRAFTS,
        )
    draft = Listing(
        owner_id=by.id,
        state=ListingState.DRAFT,
        form=form,
        created_at=now,
        changed_at=now,
        lines=[],
        photos=[],
    )
    db.session.add(draft)
    db.session.flush()
    return draft


def save(
    listing_id: int, form: dict[str, Any], *, by: Account, now: datetime
) -> Listing:
    """Keep a draft as it is now."""
    draft = queries.lock_draft(by.id, listing_id)
    draft.form = form
    draft.changed_at = now
    return draft


def discard(listing_id: int, *, by: Account, now: datetime) -> None:
    """Throw a draft away; its photos' files go with the next cleaning."""
    draft = queries.lock_draft(by.id, listing_id)
    pictures.forget_dropped(listing_id=draft.id, before=now)
    db.session.delete(draft)
