"""Which e-mail addresses count as somebody's main one, and when two are the same."""

from tradeboard.accounts.rules.email.free_text import addresses_in
from tradeboard.accounts.rules.email.pipeline import (
    RULES_VERSION,
    EmailVerdict,
    check_email,
)
from tradeboard.accounts.rules.verdicts import Verdict

__all__ = ["RULES_VERSION", "EmailVerdict", "Verdict", "addresses_in", "check_email"]
