"""Which e-mail addresses count as somebody's main one, and when two are the same."""

from tradeboard.accounts.rules.email.free_text import addresses_in
from tradeboard.accounts.rules.email.operator import (
    NOTHING_SAID,
    DomainVerdict,
    Operator,
    folded_domain,
)
from tradeboard.accounts.rules.email.pipeline import (
    RULES_VERSION,
    EmailVerdict,
    check_email,
    mailbox_of,
)
from tradeboard.accounts.rules.email.syntax import Refused
from tradeboard.accounts.rules.verdicts import Verdict

__all__ = [
    "NOTHING_SAID",
    "RULES_VERSION",
    "DomainVerdict",
    "EmailVerdict",
    "Operator",
    "Refused",
    "Verdict",
    "addresses_in",
    "check_email",
    "folded_domain",
    "mailbox_of",
]
