"""What becomes of each table, in the copy of one's own data and in erasure.

A test walks over all tables: one that is missing here, or a column that names a person
and is missing here, fails it.
"""

from enum import StrEnum

from tradeboard.core.records import dataclass


class Erasure(StrEnum):
    """What erasing a closed account does to the rows of that person."""

    DELETED = "deleted"
    EMPTIED = "emptied"
    BY_CLOCK = "by the clock"
    KEPT = "kept"


@dataclass(frozen=True)
class Plan:
    """A table: the columns that name a person, its file in the copy, its erasure.

    `also` are further files of it. Without a file `why_not` says why; what is not
    deleted or emptied has a reason, too.
    """

    people: tuple[str, ...]
    file: str | None
    erasure: Erasure
    why_not: str = ""
    why_kept: str = ""
    also: tuple[str, ...] = ()


IDS = "ids, instants and codes alone"
OF_STAFF = "what staff did in their office, not the person's own"
NOBODY = "names nobody"
ENTRY_ENDS = "stays with the entry, until it ends"
WITH_EVIDENCE = "evidence for the partner too: 90 days after all has ended"
OF_BOTH = "the partner's record as well; " + IDS
A = ("account_id",)
DELETED, EMPTIED = Erasure.DELETED, Erasure.EMPTIED
BY_CLOCK, KEPT = Erasure.BY_CLOCK, Erasure.KEPT


def _nobody(why: str = NOBODY) -> Plan:
    return Plan((), None, KEPT, why, why)


PLANS = {
    "account": Plan((), "account", EMPTIED),
    "handle": Plan(A, "handles", EMPTIED, why_kept="the reserved form stays"),
    "restriction": Plan(A, "restrictions", DELETED, why_kept=ENTRY_ENDS),
    "device": Plan((), "devices", DELETED, why_kept="if nobody else used it"),
    "device_use": Plan(A, "devices", DELETED),
    "device_name": Plan(A, "devices", DELETED),
    "session": Plan(A, "sessions", DELETED),
    "totp": Plan(A, None, DELETED, "a secret of the second factor"),
    "recovery_code": Plan(A, None, DELETED, "hashes of secrets"),
    "passkey": Plan(A, "passkeys", DELETED),
    "mailed_token": Plan(A, None, DELETED, "hashes of secrets"),
    "watch": Plan(A, None, BY_CLOCK, "keyed hashes; see the entry", ENTRY_ENDS),
    "hold": Plan(
        ("account_id", "other_id", "low_id", "high_id", "decided_by_id"),
        "holds",
        DELETED,
        why_kept="emptied while an entry is watched, so that no pair alarms twice",
    ),
    "staff_note": Plan(
        ("account_id", "other_id", "seen_by_id"),
        None,
        DELETED,
        "tells moderators of a second person",
    ),
    "staff_reason": Plan(("by_id",), None, KEPT, OF_STAFF, "why the office acted"),
    "domain_rule": Plan(("by_id",), None, KEPT, OF_STAFF, "names domains, no people"),
    "api_key": Plan(A, "api_keys", DELETED),
    "audit_row": Plan(("actor_id",), "reveals", KEPT, why_kept=IDS, also=("looks",)),
    "audit_head": _nobody(),
    "terms_version": _nobody(),
    "agreement": Plan(A, "agreements", KEPT, why_kept="proof of the agreement; " + IDS),
    "listing": Plan(("owner_id",), "listings", EMPTIED, why_kept="cards of trades"),
    "line": Plan((), "listings", EMPTIED, why_kept="cards of trades"),
    "photo": Plan(("owner_id",), "listings", DELETED),
    "listing_token": Plan((), None, DELETED, "repeats the listing in pieces"),
    "saved_search": Plan(A, "searches", DELETED),
    "card": Plan(A, "cards", DELETED),
    "match_news": Plan(A, None, DELETED, "ids of partners already told"),
    "block": Plan(("account_id", "blocked_id"), "blocks", DELETED),
    "trade": Plan(
        ("poster_id", "proposer_id", "ended_by_id", "caller_id"),
        "trades",
        KEPT,
        why_kept=OF_BOTH,
    ),
    "offer_version": Plan(("by_id",), "trades", BY_CLOCK, why_kept=WITH_EVIDENCE),
    "offer_line": Plan((), "trades", KEPT, why_kept="cards of trades"),
    "leg": Plan(
        ("sender_id", "recipient_id"), "trades", BY_CLOCK, why_kept=WITH_EVIDENCE
    ),
    "proof": Plan(("by_id",), "proofs", BY_CLOCK, why_kept=WITH_EVIDENCE),
    "proposal": Plan(("by_id",), "trades", BY_CLOCK, why_kept=WITH_EVIDENCE),
    "phone_side": Plan(A, "numbers", EMPTIED),
    "message": Plan(("author_id",), "messages", BY_CLOCK, why_kept=WITH_EVIDENCE),
    "message_photo": Plan(("by_id",), "proofs", BY_CLOCK, why_kept=WITH_EVIDENCE),
    "feedback": Plan(
        ("by_id", "about_id"), "feedback", EMPTIED, why_kept="the grade, of both"
    ),
    "report": Plan(
        ("account_id", "reporter_id", "claimed_by_id", "settled_by_id"),
        "reports",
        EMPTIED,
        why_kept="what was decided; " + IDS,
    ),
    "member_warning": Plan(("account_id", "by_id"), "warnings", DELETED),
    "remark": Plan(("account_id", "by_id"), None, DELETED, OF_STAFF),
    "signal_seen": Plan(("by_id",), None, KEPT, OF_STAFF, IDS),
    "setting_change": Plan(("by_id",), None, KEPT, OF_STAFF, "the site's history"),
    "announcement": Plan(("by_id",), None, KEPT, OF_STAFF, "the site's history"),
    "help_version": Plan(("by_id",), None, KEPT, OF_STAFF, "the site's history"),
    "trade_event": Plan(("actor_id",), "trades", KEPT, why_kept=OF_BOTH),
    "entry": Plan(A, "entries", BY_CLOCK, why_kept=ENTRY_ENDS),
    "entry_device": Plan((), "entries", BY_CLOCK, why_kept=ENTRY_ENDS),
    "decision": Plan(("by_id",), "decisions", BY_CLOCK, why_kept=WITH_EVIDENCE),
    "evidence": Plan(("by_id",), "statements", BY_CLOCK, why_kept=WITH_EVIDENCE),
    "evidence_file": Plan((), "statements", BY_CLOCK, why_kept=WITH_EVIDENCE),
    "evidence_request": Plan(
        ("to_id", "by_id"), "requests", BY_CLOCK, why_kept=WITH_EVIDENCE
    ),
    "appeal": Plan(("decided_by_id",), "appeals", BY_CLOCK, why_kept=WITH_EVIDENCE),
    "appeal_link": Plan(
        (), None, BY_CLOCK, "hashes of secrets", "the way to answer, for " + ENTRY_ENDS
    ),
    "entry_draft": Plan(A, "drafts", DELETED),
    "claim": Plan(("by_id",), None, DELETED, OF_STAFF),
    "change": Plan((), None, BY_CLOCK, "repeats the public entry", ENTRY_ENDS),
    "feed_head": _nobody(),
    "outbox_mail": Plan(A, "mails", EMPTIED),
    "notice": Plan(A, "notices", DELETED),
    "mail_choice": Plan(A, "mail_choices", DELETED),
    "digest_mark": Plan(A, None, DELETED, "up to where the daily mail has told"),
    "form_draft": Plan(A, "form_drafts", DELETED),
    "submission": Plan(A, None, DELETED, "which button was pressed, for a week"),
    "throttle_bucket": _nobody("hashes of counts that end within a day"),
    "tally": _nobody(),
    "job_run": _nobody(),
    "backup_run": _nobody(),
    "node": _nobody("the board's own processes, for a day"),
}
