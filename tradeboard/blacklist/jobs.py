"""The blacklist by the clock: each job asks one indexed query what is due."""

from datetime import datetime, timedelta

from flask import current_app

from tradeboard.blacklist import photos, queries
from tradeboard.blacklist.services import appeals, drafts, sweeping, timed
from tradeboard.core import photo_store
from tradeboard.core.sweep import Swept, sweep
from tradeboard.trades import queries as trades
from tradeboard.trades.services import overdue

BATCH = 500
KEPT_UNNAMED = timedelta(days=1)


def sweep_overdue_trades(now: datetime) -> Swept:
    """End each trade whose goods did not come in time (B-05).

    The results are, per trade, the ids of the entries that were made.
    """
    total = Swept()
    while True:
        ids = trades.overdue_trade_ids(now, limit=BATCH)
        swept = sweep(
            ids,
            list_or_hold,
            now=now,
            postpone=overdue.postpone,
            together=list_or_hold_all,
        )
        total.add(swept.results)
        total.done += swept.done - len(swept.results)
        total.failed += swept.failed
        if len(ids) < BATCH or not swept.done:
            return total


def list_or_hold(trade_id: int, *, now: datetime) -> list[int]:
    """Do it to one trade, and return ids, which outlive the transaction."""
    return [entry.id for entry in sweeping.list_or_hold(trade_id, now=now)]


def list_or_hold_all(trade_ids: list[int], *, now: datetime) -> list[list[int]]:
    """Do it to several trades at once."""
    made = sweeping.list_or_hold_all(trade_ids, now=now)
    return [[entry.id for entry in entries] for entries in made.values()]


def list_withheld(now: datetime) -> Swept:
    """List the withheld entries that nobody decided for seven days."""
    return sweep(queries.withheld_ids(now), timed.list_withheld, now=now)


def lift_undecided(now: datetime) -> Swept:
    """Lift the held entries that nobody decided for ninety days."""
    return sweep(queries.undecided_ids(now), timed.lift_undecided, now=now)


def expire_entries(now: datetime) -> Swept:
    """End the entries whose time is over."""
    return sweep(queries.expired_ids(now), timed.expire, now=now)


def warn_of_unreviewed(now: datetime) -> Swept:
    """Tell the admins which entries have waited too long for a moderator."""
    return sweep(queries.unreviewed_ids(now), timed.warn_of_unreviewed, now=now)


def hide_overdue_appeals(now: datetime) -> Swept:
    """Hide what the public reads of entries whose appeal has waited too long."""
    return sweep(queries.overdue_appeal_ids(now), appeals.hide_overdue, now=now)


def clean_evidence(now: datetime) -> int:
    """Delete pictures that were never sent, and wait in no draft either."""
    store = photo_store.of(current_app.config).within(photos.SUBFOLDER)
    kinds = drafts.PICTURES.values()
    return photo_store.remove_unnamed(
        store,
        lambda names: queries.kept_files(names, kinds),
        before=now - KEPT_UNNAMED,
    )
