"""What the providers of mailboxes do with dots, hyphens and their other names."""

import re
from functools import lru_cache

from tradeboard.accounts.rules import datafiles
from tradeboard.accounts.rules.email import wording
from tradeboard.accounts.rules.email.operator import (
    NOTHING_SAID,
    DomainVerdict,
    Operator,
    said_of,
)
from tradeboard.accounts.rules.email.syntax import (
    Address,
    Refused,
    has_legacy_dots,
)

GMAIL = frozenset({"gmail.com", "googlemail.com"})
PROTON = frozenset({"proton.me", "protonmail.com", "protonmail.ch", "pm.me"})
ICLOUD = frozenset({"icloud.com", "me.com", "mac.com"})
YANDEX = frozenset(
    {
        "yandex.ru",
        "yandex.com",
        "yandex.by",
        "yandex.kz",
        "yandex.ua",
        "yandex.com.tr",
        "ya.ru",
    }
)
APPLE_RELAY = "privaterelay.appleid.com"

# Domain as given: the mailbox's own domain, and characters that do not count.
_SAME_MAILBOX = (
    {domain: ("gmail.com", ".") for domain in GMAIL}
    | {domain: ("proton.me", ".-_") for domain in PROTON}
    | {domain: ("icloud.com", "") for domain in ICLOUD}
    | {domain: ("yandex.ru", "") for domain in YANDEX}
)

_YAHOO = re.compile(
    r"yahoo\.(?:com|[a-z]{2}|co\.[a-z]{2}|com\.[a-z]{2})"
    r"|(?:ymail|rocketmail|myyahoo|y7mail)\.com"
)
_YAHOO_JAPAN = "yahoo.co.jp"

_HIDE_MY_EMAIL = re.compile(
    r"[a-z]{2,}[._-][a-z]{2,}[._-]?[0-9][0-9a-z]"
    r"|[0-9]{2}[._-]?[a-z]{2,}[._-][a-z]{2,}"
    r"|[a-z]{2,}[._-][0-9]{2}[._-]?[a-z]{2,}"
)


def refuse_secondary(address: Address, operator: Operator = NOTHING_SAID) -> None:
    """Raise Refused for relays, throw-aways, sub-addresses and role boxes."""
    said = said_of(address.domain, operator)
    _refuse_relay(address, said)
    if said is None and _is_disposable(address.domain):
        said = DomainVerdict.DISPOSABLE
    if said is DomainVerdict.DISPOSABLE:
        raise Refused("disposable", wording.disposable())
    if "+" in address.local:
        raise Refused("subaddress.plus", wording.plus(_without_plus(address, operator)))
    _refuse_yahoo_hyphen(address)
    _refuse_fastmail_subdomain(address)
    # The mailbox behind no.reply@gmail.com is noreply@gmail.com as well.
    names = {address.local.lower(), canonical(address)[0]}
    if names & datafiles.lines("role_locals"):
        raise Refused("role", wording.role())


def canonical(address: Address) -> tuple[str, str]:
    """Return local part and domain of the mailbox itself, in lower case."""
    local = address.local.lower()
    domain, ignored = _SAME_MAILBOX.get(address.domain, (address.domain, ""))
    return local.translate(str.maketrans("", "", ignored)), domain


def looks_like_hide_my_email(address: Address) -> bool:
    """Tell whether Apple might have made it up; real people match too."""
    if address.domain != "icloud.com":
        return False
    return _HIDE_MY_EMAIL.fullmatch(address.local.lower()) is not None


def _refuse_relay(address: Address, said: DomainVerdict | None) -> None:
    if said is DomainVerdict.RELAY:
        raise Refused("relay", wording.relay())
    if said is not None:
        return
    above = datafiles.parents(address.domain)
    if APPLE_RELAY in above:
        raise Refused("relay", wording.apple_relay())
    if not datafiles.lines("relay_domains").isdisjoint(above):
        raise Refused("relay", wording.relay())


def _is_disposable(domain: str) -> bool:
    allowed = datafiles.lines("disposable_allow")
    for name in datafiles.parents(domain):
        if name in allowed:
            return False
        if name in _disposable():
            return True
    return False


@lru_cache(maxsize=1)
def _disposable() -> frozenset[str]:
    # Much to load, and a worker that starts checks no address.
    from disposable_email_domains import blocklist

    return frozenset(blocklist) | datafiles.lines("disposable_extra")


datafiles.forget_with(_disposable.cache_clear)


def _without_plus(address: Address, operator: Operator) -> str | None:
    """Return the address to suggest, None where that would be refused in turn."""
    base = Address(address.local.partition("+")[0], address.domain)
    if not canonical(base)[0] or has_legacy_dots(base.local):
        return None
    try:
        refuse_secondary(base, operator)
    except Refused:
        return None
    return base.wire


def _refuse_yahoo_hyphen(address: Address) -> None:
    if "-" not in address.local:
        return
    if address.domain == _YAHOO_JAPAN:
        raise Refused("subaddress.yahoo_jp", wording.yahoo())
    if _YAHOO.fullmatch(address.domain):
        raise Refused("subaddress.yahoo", wording.yahoo())


def _refuse_fastmail_subdomain(address: Address) -> None:
    domains = datafiles.lines("fastmail_domains")
    user, _, domain = address.domain.partition(".")
    if domain in domains and address.domain not in domains:
        raise Refused(
            "subaddress.fastmail_subdomain", wording.fastmail(f"{user}@{domain}")
        )
