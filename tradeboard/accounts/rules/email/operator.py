"""What the operator of a board says of domains, over the lists that ship with it."""

from collections.abc import Mapping
from enum import StrEnum

from tradeboard.accounts.rules import datafiles
from tradeboard.accounts.rules.email import syntax


class DomainVerdict(StrEnum):
    """How the mailboxes of a domain count here."""

    RELAY = "relay"
    DISPOSABLE = "disposable"
    ALLOW = "allow"


Operator = Mapping[str, DomainVerdict]
NOTHING_SAID: Operator = {}


def said_of(domain: str, operator: Operator) -> DomainVerdict | None:
    """Return what the operator says of a domain; the most specific line counts."""
    for name in datafiles.parents(domain):
        if name in operator:
            return operator[name]
    return None


def folded_domain(typed: str) -> str:
    """Return a domain, or that of an address, as lower-case A-label; or raise Refused.

    A label alone is no domain of mailboxes.
    """
    domain = syntax.fold(typed.strip(syntax.BLANKS)).rpartition("@")[2]
    return syntax.read(f"a@{domain}").domain
