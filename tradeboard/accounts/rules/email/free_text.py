"""E-mail addresses inside a note or a message, also behind the usual disguises."""

import re

from tradeboard.accounts.rules.email.syntax import (
    LEGACY_DOT_DOMAINS,
    LONGEST,
    LONGEST_LOCAL,
    fold,
)

# Each of these patterns is bounded, so that no text makes them slow.
_BLANK = r"[ \t\u3000]{0,3}"
_AT = re.compile(
    rf"{_BLANK}(?:[\[(]{_BLANK}(?:at|アット(?:マーク)?){_BLANK}[\])]|アットマーク)"
    rf"{_BLANK}",
    re.IGNORECASE,
)
_DOT = re.compile(
    rf"{_BLANK}[\[(]{_BLANK}(?:dot|ドット){_BLANK}[\])]{_BLANK}", re.IGNORECASE
)

# A stop that ends a Japanese sentence is kept apart from the dots of a domain.
_STOP = "\N{IDEOGRAPHIC FULL STOP}"
_KEEP_STOPS = str.maketrans({"。": "\ue000", "｡": "\ue000"})

_LOCAL = re.compile(r"""("[A-Za-z0-9._-]+"|[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+)\Z""")
_LEADING = "'`*=|{}&#!"

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ENDING = r"[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ANY_LABEL = r"[\w-]{1,63}"
_DOMAINS = (
    # gmail.com: what follows a 。 is the next sentence.
    re.compile(rf"{_LABEL}(?:\.{_LABEL})*\.{_ENDING}"),
    # gmail。com and ドメイン。jp, typed without leaving the Japanese keyboard.
    re.compile(rf"(?:{_ANY_LABEL}[.{_STOP}]){{1,8}}[a-z]{{2,63}}"),
    re.compile(rf"(?:{_ANY_LABEL}\.){{1,8}}[A-Za-z]{{2,63}}"),
    re.compile(rf"{_ANY_LABEL}(?:\.{_ANY_LABEL}){{1,8}}"),
)


def addresses_in(text: str) -> list[str]:
    """Return the addresses in a text, folded and undisguised, each once, in order."""
    plain = _undisguised(text)
    found = []
    for at in re.finditer("@", plain):
        address = _around(plain, at.start())
        if address and address not in found:
            found.append(address)
    return found


def _undisguised(text: str) -> str:
    folded = fold(text.translate(_KEEP_STOPS)).replace("\ue000", _STOP)
    return _DOT.sub(".", _AT.sub("@", folded))


def _around(text: str, at: int) -> str | None:
    local = _LOCAL.search(text[max(0, at - LONGEST_LOCAL - 8) : at])
    if local is None:
        return None
    for pattern in _DOMAINS:
        if domain := pattern.match(text, at + 1, at + 1 + LONGEST):
            return _joined(local[1], domain[0].replace(_STOP, "."))
    return None


def _joined(local: str, domain: str) -> str | None:
    local = local.lstrip(_LEADING)
    if not local.startswith('"') and domain.lower() not in LEGACY_DOT_DOMAINS:
        # "Write to...taro@gmail.com" is a sentence and then an address.
        local = local.rpartition("..")[2].lstrip(".") or local
    return f"{local}@{domain}" if local else None
