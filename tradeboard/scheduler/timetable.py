"""Every job that runs by the clock, in one table."""

from collections.abc import Callable
from datetime import datetime, timedelta

from tradeboard.accounts import jobs as accounts
from tradeboard.blacklist import jobs as blacklist
from tradeboard.cards import jobs as cards
from tradeboard.core.records import dataclass
from tradeboard.core.sweep import Swept
from tradeboard.feedback import jobs as feedback
from tradeboard.keeping import jobs as keeping
from tradeboard.listings import jobs as listings
from tradeboard.moderation import jobs as moderation
from tradeboard.notifications import jobs as notifications
from tradeboard.privacy import jobs as privacy
from tradeboard.terms import jobs as terms
from tradeboard.trades import jobs as trades

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Job:
    """One row of the timetable; what is due is known by the tables, not by the job.

    Where the setting that it `needs` is not set, a scheduler leaves it to others.
    """

    name: str
    run: Callable[[datetime], int | Swept]
    every: timedelta
    needs: str = ""


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
    Job("reveal-feedback", feedback.reveal, MINUTE),
    Job("remind", trades.remind, 5 * MINUTE),
    Job("tell-of-ends", listings.tell_of_ends, 5 * MINUTE),
    Job("tell-matches", cards.tell_matches, HOUR),
    Job("mail-searches", listings.mail_searches, 5 * MINUTE),
    Job("warn-of-unreviewed", blacklist.warn_of_unreviewed, HOUR),
    Job("erase-numbers", trades.erase_numbers, HOUR),
    Job("forget-unconfirmed", accounts.forget_unconfirmed, HOUR),
    Job("recompute-keys", accounts.recompute_keys, HOUR),
    Job("forget-old-rows", accounts.forget_old_rows, HOUR),
    Job("clean-photos", listings.clean_photos, HOUR),
    Job("clean-proofs", trades.clean_proofs, HOUR),
    Job("clean-evidence", blacklist.clean_evidence, HOUR),
    Job("forget-mail", notifications.forget_mail, HOUR),
    Job("forget-notices", notifications.forget_notices, HOUR),
    Job("send-digests", accounts.send_digests, 5 * MINUTE),
    Job("anchor-audit", moderation.anchor_audit, MINUTE),
    Job("mail-anchor", moderation.mail_anchor, DAY),
    Job("verify-audit", moderation.verify_audit, DAY),
    Job("tell-of-queues", moderation.tell_of_queues, HOUR),
    Job("tell-of-red", moderation.tell_of_red, 5 * MINUTE),
    Job("tell-of-backups", moderation.tell_of_backups, HOUR),
    Job("tell-of-terms", terms.tell_of_version, MINUTE),
    Job("erase-accounts", privacy.erase_accounts, HOUR),
    Job("purge-evidence", privacy.purge_evidence, HOUR),
    Job("forget-forms", privacy.forget_forms, HOUR),
    Job("back-up", keeping.back_up, HOUR, needs="BACKUPS"),
    Job("prove-restore", keeping.prove_restore, HOUR, needs="BACKUPS"),
)

JOBS = {job.name: job for job in TIMETABLE}
