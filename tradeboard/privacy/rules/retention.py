"""How long each kind of data is kept, since when, and which job lets it go.

The page for members and `docs/privacy.md` say the same; a test compares them.
"""

from datetime import datetime, timedelta

from tradeboard.core.records import dataclass
from tradeboard.notifications.rules import NOTICES_KEPT

CLOSED_KEPT = timedelta(days=30)
EVIDENCE_KEPT = timedelta(days=90)
FORMS_KEPT = timedelta(days=7)
DRAFTS_KEPT = timedelta(days=30)


@dataclass(frozen=True)
class Kept:
    """One row: what it is, how long in words, and the jobs; none where no job does it.

    `after` is the time since the event that `kept` names, where it is one time.
    """

    kind: str
    data: str
    kept: str
    jobs: tuple[str, ...] = ()
    after: timedelta | None = None


RETENTION = (
    Kept(
        "numbers",
        "Phone number and its keyed hash, postal address",
        "until 30 days after the trade ends",
        ("erase-numbers",),
        timedelta(days=30),
    ),
    Kept(
        "words",
        "Keyed hash of the spoken words",
        "until confirmed or cancelled",
    ),
    Kept(
        "evidence",
        "Proof photos, messages, tracking numbers, evidence",
        "until 90 days after trade, last decision and entry have all ended",
        ("purge-evidence",),
        EVIDENCE_KEPT,
    ),
    Kept(
        "devices",
        "Device records",
        "400 days after the last use; those on an entry until it ends",
        ("forget-old-rows",),
        timedelta(days=400),
    ),
    Kept(
        "sessions",
        "Rough network range, kind of browser",
        "90 days",
        ("forget-old-rows",),
        timedelta(days=90),
    ),
    Kept(
        "mails",
        "Text of sent mails, used links",
        "30 days",
        ("forget-mail", "forget-old-rows"),
        timedelta(days=30),
    ),
    Kept(
        "entries",
        "Blacklist entry",
        "730 days from upholding, 1,825 with two or more standing entries; then"
        " whatever ties it to a person is erased and only counts are kept",
        ("expire-entries",),
    ),
    Kept(
        "mailbox",
        "Keyed hash of the e-mail address",
        "life of the account",
        ("erase-accounts",),
    ),
    Kept(
        "hashes",
        "Keyed hashes on an entry",
        "until it is lifted or expires",
        ("expire-entries",),
    ),
    Kept(
        "unconfirmed",
        "Account whose address was never confirmed",
        "7 days, if nothing refers to it",
        ("forget-unconfirmed",),
        timedelta(days=7),
    ),
    Kept(
        "closed",
        "Closed account",
        "erased after 30 days, not while a trade runs; its handle stays reserved",
        ("erase-accounts",),
        CLOSED_KEPT,
    ),
    Kept(
        "forms",
        "Which form was sent, so that it works once",
        "7 days",
        ("forget-forms",),
        FORMS_KEPT,
    ),
    Kept(
        "drafts",
        "What was begun in a form of a trade and not sent",
        "30 days after the last change",
        ("forget-forms",),
        DRAFTS_KEPT,
    ),
    Kept(
        "notices",
        "Notices on the site",
        "90 days",
        ("forget-notices",),
        NOTICES_KEPT,
    ),
    Kept(
        "audit",
        "Audit log",
        "kept; holds reference numbers only, no personal data",
    ),
)


def is_erasable(closed_at: datetime | None, now: datetime) -> bool:
    """Tell whether an account has been closed for long enough."""
    return closed_at is not None and now >= closed_at + CLOSED_KEPT
