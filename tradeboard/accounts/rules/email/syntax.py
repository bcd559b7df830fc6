"""From what was typed to a local part and a domain, or the first thing wrong."""

import re
import unicodedata
from functools import lru_cache

from tradeboard.accounts.rules.email import wording
from tradeboard.accounts.rules.scripts import HAN, HANGUL, KANA, LATIN, script_of
from tradeboard.core.messages import Message
from tradeboard.core.records import dataclass

LONGEST = 320
LONGEST_LOCAL = 64
BLANKS = " \t\u3000"
# Carriers that once gave out addresses with dots where the standard has none.
LEGACY_DOT_DOMAINS = frozenset({"docomo.ne.jp", "ezweb.ne.jp"})

_CONTROL = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cs", "Cn"})
_FOLD = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_FOLD |= {ord("。"): ".", ord("｡"): "."}
_LEGACY_QUOTED = re.compile(r'"([A-Za-z0-9._-]+)"')
SPECIAL_NAMES = frozenset({"arpa", "invalid", "local", "localhost", "onion", "test"})
# What any standard takes before the @; with such a domain the whole is short enough.
_PLAIN_LOCAL = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
_SURELY_SHORT = 150
_PASSING = ({LATIN}, {KANA, HAN, LATIN}, {HANGUL, LATIN})


class Refused(Exception):
    """Ends the pipeline: the code, and what the person reads."""

    def __init__(self, code: str, message: Message):
        super().__init__(code)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Address:
    """A well-formed address: folded, the domain in ASCII and lower case."""

    local: str
    domain: str
    rare_script: bool = False

    @property
    def wire(self) -> str:
        """Return the form for SMTP, quoted only where dots demand it."""
        local = f'"{self.local}"' if has_legacy_dots(self.local) else self.local
        return f"{local}@{self.domain}"


def fold(text: str) -> str:
    """Return full-width ASCII and ideographic stops as ASCII, nothing else."""
    return text.translate(_FOLD)


def has_legacy_dots(local: str) -> bool:
    """Tell whether the dots stand where the standard allows none."""
    return ".." in local or local.startswith(".") or local.endswith(".")


def read(typed: str) -> Address:
    """Return the address in what was typed, or raise Refused."""
    if len(typed) > LONGEST:
        raise Refused("syntax.length", wording.too_long(LONGEST))
    stripped = typed.strip(BLANKS)
    if any(unicodedata.category(character) in _CONTROL for character in stripped):
        raise Refused("syntax.control", wording.control())
    local, domain = _split(fold(stripped))
    if not local.isascii():
        stranger = next(character for character in local if not character.isascii())
        raise Refused("local.nonascii", wording.nonascii(stranger))
    domain, unicode_domain = _validated(local, domain)
    return Address(local, domain, rare_script=_check_scripts(unicode_domain))


def _split(folded: str) -> tuple[str, str]:
    local, at, domain = folded.rpartition("@")
    if not at:
        raise Refused("syntax.at", wording.no_at())
    if local.startswith('"'):
        local = _unquoted(local, domain)
    if "@" in local:
        raise Refused("syntax.at", wording.two_ats())
    if domain.startswith("["):
        raise Refused("domain.literal", wording.literal())
    return local, domain


def _unquoted(local: str, domain: str) -> str:
    match = _LEGACY_QUOTED.fullmatch(local)
    if match and has_legacy_dots(match[1]) and domain.lower() in LEGACY_DOT_DOMAINS:
        return match[1]
    raise Refused("syntax.quoted", wording.quoted())


def _validated(local: str, domain: str) -> tuple[str, str]:
    if len(local) > LONGEST_LOCAL:
        raise Refused("syntax", wording.long_local(LONGEST_LOCAL))
    copy = local
    if domain.lower() in LEGACY_DOT_DOMAINS:
        copy = re.sub(r"\.+", ".", local).strip(".")
    if found := _domains(copy, domain):
        return found
    head, dot, last = domain.rpartition(".")
    # The name is reserved if the same address passes under another ending.
    other = f"{head}.{'a' * len(last)}"
    # Read as the library reads it: "ⓛocal" is "local".
    reads = unicodedata.normalize("NFKC", last).casefold()
    if dot and reads in SPECIAL_NAMES and _domains(copy, other):
        raise Refused("domain.special", wording.special())
    raise Refused("syntax", wording.syntax(copy, domain))


def _domains(local: str, domain: str) -> tuple[str, str] | None:
    """Return both forms of the domain, or None if the address is no address.

    Most people share a few domains: for a plain local part the domain alone decides,
    and its answer is kept.
    """
    is_short = domain.isascii() and len(domain) <= _SURELY_SHORT
    if _PLAIN_LOCAL.fullmatch(local) and is_short:
        return _domains_with_plain_local(domain)
    return _validated_whole(local, domain)


@lru_cache(maxsize=10_000)
def _domains_with_plain_local(domain: str) -> tuple[str, str] | None:
    return _validated_whole("a", domain)


def _validated_whole(local: str, domain: str) -> tuple[str, str] | None:
    # Much to load, and a worker that starts checks no address.
    from email_validator import EmailNotValidError, validate_email

    try:
        found = validate_email(
            f"{local}@{domain}", check_deliverability=False, strict=True
        )
    except EmailNotValidError:
        return None
    return found.ascii_domain.lower(), found.domain


def _check_scripts(domain: str) -> bool:
    """Refuse mixed labels; tell whether a label is in one script rarely seen here."""
    rare = False
    for label in domain.split("."):
        scripts = {script for script in map(script_of, label) if script}
        if any(scripts <= passing for passing in _PASSING):
            continue
        if len(scripts) > 1:
            raise Refused("domain.script", wording.mixed_domain(_stranger(label)))
        rare = True
    return rare


def _stranger(label: str) -> str:
    """Return the character to look at: the first that is not of the usual script."""
    lettered = [(script_of(character), character) for character in label]
    scripts = [script for script, _ in lettered if script]
    usual = LATIN if LATIN in scripts else scripts[0]
    return next(c for script, c in lettered if script not in (usual, None))
