"""Trades by the clock: each job asks one indexed query what is due."""

from datetime import datetime, timedelta

from flask import current_app

from tradeboard.core import photo_store
from tradeboard.core.sweep import Swept, sweep
from tradeboard.trades import photos, queries
from tradeboard.trades.services import (
    closing,
    negotiation,
    phone,
    proposals,
    reminders,
)

KEPT_UNNAMED = timedelta(days=1)


def lapse_offers(now: datetime) -> Swept:
    """End the offers that nobody answered for three days."""
    return sweep(queries.answers_due(now), negotiation.lapse, now=now)


def cancel_quiet_trades(now: datetime) -> Swept:
    """Cancel trades without a call or any dispatch for seven days: nobody's fault."""
    return sweep(queries.quiet_trade_ids(now), closing.cancel_quiet, now=now)


def settle_silent_proposals(now: datetime) -> Swept:
    """Cancel what one side proposed and the other left unanswered for three days."""
    ids = queries.silent_proposal_ids(now)
    return sweep(ids, proposals.settle_silent, now=now)


def remind(now: datetime) -> Swept:
    """Queue the notices before deadlines, once each."""
    return sweep(queries.due_reminders(now), reminders.remind, now=now)


def erase_numbers(now: datetime) -> Swept:
    """Erase numbers and addresses 30 days after their trade ended."""
    return sweep(queries.numbers_due(now), phone.erase, now=now)


def clean_proofs(now: datetime) -> int:
    """Delete photos that no parcel, message or draft has named for a day."""
    store = photo_store.of(current_app.config).within(photos.SUBFOLDER)
    before = now - KEPT_UNNAMED
    return photo_store.remove_unnamed(store, queries.named_photos, before=before)
