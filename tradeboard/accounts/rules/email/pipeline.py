"""One function for registration, change of address, import and machines."""

from tradeboard.accounts.rules.email import providers, syntax, wording
from tradeboard.accounts.rules.email.operator import NOTHING_SAID, Operator
from tradeboard.accounts.rules.email.syntax import Address, Refused
from tradeboard.accounts.rules.verdicts import Verdict
from tradeboard.core.messages import Message
from tradeboard.core.records import dataclass

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


def check_email(typed: str, operator: Operator = NOTHING_SAID) -> EmailVerdict:
    """Say whether this can be somebody's main address; the first failure answers.

    `operator` is what the board's own list says of domains, over those that ship.
    """
    email = typed.strip(syntax.BLANKS)
    try:
        address = syntax.read(typed)
        _refuse_unfit(address, operator)
    except Refused as refused:
        return EmailVerdict(
            Verdict.REFUSE, refused.code, None, email, None, refused.message
        )
    key = "@".join(providers.canonical(address))
    code = _review_code(address)
    verdict = Verdict.REVIEW if code else Verdict.ACCEPT
    note = wording.review() if code else None
    return EmailVerdict(verdict, code or "ok", key, email, address.wire, note)


def mailbox_of(address: str) -> str | None:
    """Return the canonical form of an address that was accepted once.

    What the lists say of its domain today changes nothing: it stays one mailbox.
    """
    try:
        return "@".join(providers.canonical(syntax.read(address)))
    except Refused:
        return None


def _refuse_unfit(address: Address, operator: Operator) -> None:
    providers.refuse_secondary(address, operator)
    if not providers.canonical(address)[0]:
        raise Refused("syntax", wording.empty_local())


def _review_code(address: Address) -> str | None:
    if address.rare_script:
        return "domain.script_review"
    if providers.looks_like_hide_my_email(address):
        return "relay.hide_my_email_suspect"
    return None
