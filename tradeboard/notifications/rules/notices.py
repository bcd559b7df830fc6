"""Which mails are notices on the site too, and where each of them leads."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

NOTICES_KEPT = timedelta(days=90)

TRADE, CALL = "/trades/%(trade)s", "/trades/%(trade)s/call"
HELP, ENTRY = "/trades/%(trade)s/help", "/blacklist/mine/%(entry)s"
LISTING = "/listings/%(listing)s"

NOTICES: dict[str, str] = {
    "accounts/mail/email_change_asked.txt": "/me/email",
    "accounts/mail/held.txt": "/me/holds/%(hold)s",
    "accounts/mail/hold_released.txt": "/me/holds/%(hold)s",
    "accounts/mail/new_device.txt": "/me/devices",
    "accounts/mail/password_changed.txt": "/me/devices",
    "accounts/mail/ways_in_changed.txt": "/me/security",
    "accounts/mail/wrong_tries.txt": "/me/security",
    "blacklist/mail/appeal_decided.txt": ENTRY,
    "blacklist/mail/appeal_overdue.txt": ENTRY,
    "blacklist/mail/appealed.txt": ENTRY,
    "blacklist/mail/asked.txt": "/blacklist/asked/%(entry)s",
    "blacklist/mail/expired.txt": ENTRY,
    "blacklist/mail/held.txt": ENTRY,
    "blacklist/mail/lifted.txt": ENTRY,
    "blacklist/mail/listed.txt": ENTRY,
    "blacklist/mail/partner_default.txt": "/trades/legs/%(leg)s/late-receipt",
    "blacklist/mail/upheld.txt": ENTRY,
    "cards/mail/matches.txt": "/matches",
    "feedback/mail/open.txt": "/trades/%(trade)s/feedback",
    "feedback/mail/shown.txt": "/trades/%(trade)s/feedback",
    "listings/mail/ends_soon.txt": LISTING,
    "listings/mail/hidden.txt": LISTING,
    "listings/mail/released.txt": LISTING,
    "listings/mail/restored.txt": LISTING,
    "listings/mail/saved_search.txt": "/me/searches",
    "reports/mail/settled.txt": "/help/contact",
    "reports/mail/warned.txt": "/me/warnings",
    "terms/mail/new_version.txt": "/terms",
    "trades/mail/accepted.txt": CALL,
    "trades/mail/all_received.txt": TRADE,
    "trades/mail/answer_due.txt": TRADE,
    "trades/mail/call_due.txt": CALL,
    "trades/mail/cancel_proposed.txt": TRADE,
    "trades/mail/cancelled.txt": TRADE,
    "trades/mail/contested.txt": TRADE,
    "trades/mail/declined.txt": TRADE,
    "trades/mail/differs.txt": TRADE,
    "trades/mail/dispatch_undone.txt": TRADE,
    "trades/mail/due_add_proof.txt": HELP,
    "trades/mail/due_arrived.txt": TRADE,
    "trades/mail/due_not_sent.txt": HELP,
    "trades/mail/extend_proposed.txt": TRADE,
    "trades/mail/first_dispatch.txt": TRADE,
    "trades/mail/lapsed.txt": TRADE,
    "trades/mail/listing_changed.txt": TRADE,
    "trades/mail/message.txt": "/trades/%(trade)s#talk",
    "trades/mail/number_changed.txt": CALL,
    "trades/mail/offer.txt": TRADE,
    "trades/mail/partner_sealed.txt": CALL,
    "trades/mail/phone_confirmed.txt": "/trades/%(trade)s/dispatch",
    "trades/mail/proposal_agreed.txt": TRADE,
    "trades/mail/proposal_declined.txt": TRADE,
    "trades/mail/receipt_undone.txt": TRADE,
    "trades/mail/received.txt": TRADE,
    "trades/mail/revealed.txt": CALL,
    "trades/mail/second_dispatch.txt": TRADE,
    "trades/mail/settle_proposed.txt": TRADE,
    "trades/mail/withdrawn.txt": TRADE,
    "trades/mail/withheld.txt": HELP,
}

# What is told by mail alone: it carries a token, is for staff, or reaches a mailbox
# whose account nobody opens.
WITHOUT = frozenset(
    {
        "accounts/mail/change_email.txt",
        "accounts/mail/closed.txt",
        "accounts/mail/confirm.txt",
        "accounts/mail/email_changed.txt",
        "accounts/mail/has_account.txt",
        "accounts/mail/mailbox_listed.txt",
        "accounts/mail/reset.txt",
        "accounts/mail/second_factor_reset.txt",
        "accounts/mail/staff_act.txt",
        "blacklist/mail/appeal_red.txt",
        "blacklist/mail/appeal_waiting.txt",
        "blacklist/mail/unreviewed.txt",
        "moderation/mail/audit_anchor.txt",
        "moderation/mail/audit_broken.txt",
        "moderation/mail/queue_waiting.txt",
        "moderation/mail/scheduler_red.txt",
        "moderation/mail/backups_late.txt",
        "notifications/mail/digest.txt",
        "notifications/mail/test.txt",
        "trades/mail/differs_staff.txt",
    }
)

# Told again only when it has been read, or after so long.
SAID_ONCE = {"trades/mail/message.txt": timedelta(hours=1)}

# The facts that subjects name; no other fact of a mail becomes part of a notice.
NAMED = frozenset(
    {
        "count",
        "days",
        "entry",
        "granted",
        "handle",
        "kind",
        "name",
        "number",
        "partner",
        "sender",
        "title",
        "trade",
    }
)


def is_noticed(template: str) -> bool:
    """Tell whether a mail becomes a notice, too."""
    return template in NOTICES


def path_of(template: str, facts: Mapping[str, Any]) -> str:
    """Return where a notice leads."""
    return NOTICES[template] % facts


def kept_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a notice needs for its sentence, and nothing that is a secret."""
    return {name: value for name, value in facts.items() if name in NAMED}
