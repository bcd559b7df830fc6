"""Read what is due to go, and all that is one person's own; this page gathers both.

`SECTIONS` are the files of the copy: each yields plain values, and none of it is the
partner's.
"""

from collections.abc import Callable, Iterator
from typing import Any

from tradeboard.accounts.models import Account
from tradeboard.privacy.queries import (
    judged,
    listed,
    person,
    signing,
    told,
    trading,
    wishes,
)

SECTIONS: dict[str, Callable[[Account], Iterator[dict[str, Any]]]] = {
    "account": person.account,
    "handles": person.handles,
    "agreements": person.agreements,
    "restrictions": person.restrictions,
    "holds": person.holds,
    "mails": person.mails,
    "devices": signing.devices,
    "sessions": signing.sessions,
    "passkeys": signing.passkeys,
    "api_keys": signing.api_keys,
    "searches": wishes.searches,
    "cards": wishes.cards,
    "blocks": wishes.blocks,
    "listings": trading.listings,
    "trades": trading.trades,
    "messages": trading.messages,
    "numbers": trading.numbers,
    "proofs": trading.proofs,
    "reveals": signing.reveals,
    "looks": signing.looks,
    "feedback": judged.feedback,
    "reports": judged.reports,
    "warnings": judged.warnings,
    "entries": listed.entries,
    "decisions": listed.decisions,
    "appeals": listed.appeals,
    "statements": listed.statements,
    "requests": listed.requests,
    "drafts": listed.drafts,
    "notices": told.notices,
    "mail_choices": told.mail_choices,
    "form_drafts": told.form_drafts,
}

__all__ = ["SECTIONS"]
