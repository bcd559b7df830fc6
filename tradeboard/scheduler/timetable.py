"""Every job that runs by the clock, in one table."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tradeboard.accounts import jobs as accounts
from tradeboard.blacklist import jobs as blacklist
from tradeboard.core.sweep import Swept
from tradeboard.listings import jobs as listings
from tradeboard.moderation import jobs as moderation
from tradeboard.notifications import jobs as notifications
from tradeboard.privacy import jobs as privacy
from tradeboard.trades import jobs as trades

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Job:
    """One row of the timetable; what is due is known by the tables, not by the job."""

    name: str
    run: Callable[[datetime], int | Swept]
    every: timedelta


TIMETABLE = (
    Job("sweep-overdue", blacklist.sweep_overdue_trades, MINUTE),
    Job("deliver-outbox", notifications.deliver_outbox, 15 * SECOND),
    Job("lapse-offers", trades.lapse_offers, MINUTE),
    Job("cancel-quiet-trades", trades.cancel_quiet_trades, MINUTE),
    Job("settle-proposals", trades.settle_silent_proposals, MINUTE),
    Job("release-holds", accounts.release_holds, MINUTE),
    Job("end-restrictions", accounts.end_restrictions, MINUTE),
    Job("list-withheld", blacklist.list_withheld, MINUTE),
    Job("lift-undecided", blacklist.lift_undecided, MINUTE),
    Job("expire-entries", blacklist.expire_entries, MINUTE),
    Job("hide-overdue-appeals", blacklist.hide_overdue_appeals, MINUTE),
    Job("expire-listings", listings.expire_listings, MINUTE),
    Job("remind", trades.remind, 5 * MINUTE),
    Job("tell-of-ends", listings.tell_of_ends, 5 * MINUTE),
    Job("warn-of-unreviewed", blacklist.warn_of_unreviewed, HOUR),
    Job("erase-numbers", trades.erase_numbers, HOUR),
    Job("forget-unconfirmed", accounts.forget_unconfirmed, HOUR),
    Job("recompute-keys", accounts.recompute_keys, HOUR),
    Job("forget-old-rows", accounts.forget_old_rows, HOUR),
    Job("clean-photos", listings.clean_photos, HOUR),
    Job("clean-proofs", trades.clean_proofs, HOUR),
    Job("clean-evidence", blacklist.clean_evidence, HOUR),
    Job("forget-mail", notifications.forget_mail, HOUR),
    Job("anchor-audit", moderation.anchor_audit, MINUTE),
    Job("mail-anchor", moderation.mail_anchor, DAY),
    Job("verify-audit", moderation.verify_audit, DAY),
    Job("erase-accounts", privacy.erase_accounts, HOUR),
    Job("purge-evidence", privacy.purge_evidence, HOUR),
    Job("forget-forms", privacy.forget_forms, HOUR),
)

JOBS = {job.name: job for job in TIMETABLE}
