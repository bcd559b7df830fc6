"""Read people, their browsers and sessions; this page gathers what others call."""

from tradeboard.accounts.queries.devices import (
    accounts_of_device,
    devices_of,
    devices_used,
    has_any_device,
    has_used,
)
from tradeboard.accounts.queries.forgetting import (
    UNCONFIRMED_FOR,
    forgettable_account_ids,
    references_to,
)
from tradeboard.accounts.queries.people import (
    admins,
    email_keys,
    ended_restriction_ids,
    find_by_handle,
    find_by_mailbox,
    find_confirmed,
    find_unconfirmed,
    get_account,
    is_taken,
    restrictions_of,
    staff,
)
from tradeboard.accounts.queries.signing_in import (
    find_session,
    find_totp,
    newest_token_at,
    recovery_codes_left,
    sessions_of,
)

__all__ = [
    "UNCONFIRMED_FOR",
    "accounts_of_device",
    "admins",
    "devices_of",
    "devices_used",
    "email_keys",
    "ended_restriction_ids",
    "find_by_handle",
    "find_by_mailbox",
    "find_confirmed",
    "find_session",
    "find_totp",
    "find_unconfirmed",
    "forgettable_account_ids",
    "get_account",
    "has_any_device",
    "has_used",
    "is_taken",
    "newest_token_at",
    "recovery_codes_left",
    "references_to",
    "restrictions_of",
    "sessions_of",
    "staff",
]
