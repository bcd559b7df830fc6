"""One function for registration, change of address, import and machines."""

from dataclasses import dataclass

from tradeboard.accounts.rules.email import providers, syntax, wording
from tradeboard.accounts.rules.email.syntax import Address, Refused
from tradeboard.accounts.rules.verdicts import Verdict
from tradeboard.core.messages import Message

# Raise it with every change that moves an address to another key.
RULES_VERSION = 1


@dataclass(frozen=True)
class EmailVerdict:
    """The answer: `email` for its owner, `wire` for SMTP, `key` for who is who."""

    verdict: Verdict
    code: str
    key: str | None
    email: str
    wire: str | None
    message: Message | None


def check_email(typed: str) -> EmailVerdict:
    """Say whether this can be somebody's main address; the first failure answers."""
    email = typed.strip(syntax.BLANKS)
    try:
        address = syntax.read(typed)
        _refuse_unfit(address)
    except Refused as refused:
        return EmailVerdict(
            Verdict.REFUSE, refused.code, None, email, None, refused.message
        )
    key = "@".join(providers.canonical(address))
    code = _review_code(address)
    verdict = Verdict.REVIEW if code else Verdict.ACCEPT
    note = wording.review() if code else None
    return EmailVerdict(verdict, code or "ok", key, email, address.wire, note)


def _refuse_unfit(address: Address) -> None:
    providers.refuse_secondary(address)
    if not providers.canonical(address)[0]:
        raise Refused("syntax", wording.empty_local())


def _review_code(address: Address) -> str | None:
    if address.rare_script:
        return "domain.script_review"
    if providers.looks_like_hide_my_email(address):
        return "relay.hide_my_email_suspect"
    return None
