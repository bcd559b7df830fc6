"""Read mailboxes: whose they are, under which rules, what the operator says of them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from sqlalchemy import and_, or_, select

from tradeboard.accounts.models import Account, DomainRule, MailedToken
from tradeboard.accounts.rules import email as rules
from tradeboard.accounts.rules.email import DomainVerdict, Operator
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound

# More lines than an operator keeps by hand; a longer list belongs into the files.
MOST_RULES = 10_000


def operator_rules() -> Operator:
    """Return what the operator says of domains, for `check_email`."""
    rows = db.session.execute(
        select(DomainRule.domain, DomainRule.verdict)
        .order_by(DomainRule.domain)
        .limit(MOST_RULES)
    )
    return {domain: DomainVerdict(verdict) for domain, verdict in rows}


def domain_rules(
    after: str, *, limit: int = 50
) -> Sequence[tuple[DomainRule, str | None]]:
    """Return the operator's rules in the order of domains, with who made each."""
    return [
        (rule, handle)
        for rule, handle in db.session.execute(
            select(DomainRule, Account.handle)
            .join(Account, Account.id == DomainRule.by_id)
            .where(DomainRule.domain > after)
            .order_by(DomainRule.domain)
            .limit(limit)
        )
    ]


def get_domain_rule(domain: str) -> DomainRule:
    """Return one rule, or raise NotFound."""
    rule = db.session.get(DomainRule, domain)
    if rule is None:
        raise NotFound("そのドメインの行は、もうありません。")
    return rule


class Writer(Protocol):
    """Whoever writes a text, by the address that mail goes to."""

    @property
    def email_wire(self) -> str:
        """Return the address."""


def foreign_addresses(text: str, by: Writer) -> list[str]:
    """Return the addresses in a text that are not the writer's main one (B-01)."""
    found = rules.addresses_in(text)
    if not found:
        return []
    own, operator = rules.mailbox_of(by.email_wire), operator_rules()
    return [
        address
        for address in found
        if own is None or rules.check_email(address, operator).key != own
    ]


def pending_change(account_id: int, *, now: datetime) -> MailedToken | None:
    """Return the change of address that waits for its link, or None."""
    return db.session.scalar(
        select(MailedToken)
        .join(Account, Account.id == MailedToken.account_id)
        .where(
            MailedToken.account_id == account_id,
            MailedToken.purpose == "change",
            MailedToken.used_at.is_(None),
            MailedToken.expires_at > now,
            MailedToken.email_wire == Account.email_wire,
        )
        .order_by(MailedToken.made_at.desc())
        .limit(1)
    )


def find_account(account_id: int | None) -> Account | None:
    """Return a person, closed or not; always as slow, whoever is meant."""
    return db.session.scalar(select(Account).where(Account.id == (account_id or 0)))


def key_holder(keys: Sequence[str], *, but: int) -> Account | None:
    """Return who else has confirmed a mailbox that is kept under one of these keys."""
    return db.session.scalar(
        select(Account)
        .where(
            Account.email_key.in_(keys),
            Account.email_confirmed_at.is_not(None),
            Account.closed_at.is_(None),
            Account.id != but,
        )
        .order_by(Account.email_confirmed_at, Account.id)
        .limit(1)
    )


def key_holders(keys: Collection[str]) -> dict[str, list[tuple[int, datetime]]]:
    """Return who has confirmed a mailbox under each of these keys, and when."""
    if not keys:
        return {}
    held = select(Account.email_key, Account.id, Account.email_confirmed_at).where(
        Account.email_key.in_(keys),
        Account.email_confirmed_at.is_not(None),
        Account.closed_at.is_(None),
    )
    found: dict[str, list[tuple[int, datetime]]] = {}
    for key, account_id, confirmed_at in db.session.execute(held):
        if confirmed_at is not None:
            found.setdefault(key, []).append((account_id, confirmed_at))
    return found


def stale_key_ids(
    version: int, kid: str, *, limit: int = 500, offset: int = 0
) -> Sequence[int]:
    """Return accounts whose key is of older rules or of another key id.

    An erased account has no mailbox, and so no key.
    Whoever confirmed first comes first, so that of two who meet the later one keeps
    the former key.
    """
    of_older_rules = and_(
        Account.email_rules < version,
        or_(Account.email_kept_rules.is_(None), Account.email_kept_rules != version),
    )
    return db.session.scalars(
        select(Account.id)
        .where(
            or_(of_older_rules, Account.email_kid != kid), Account.erased_at.is_(None)
        )
        .order_by(*IN_ORDER)
        .limit(limit)
        .offset(offset)
    ).all()


# Both databases sort missing instants differently; these come last on either.
IN_ORDER = (
    Account.email_confirmed_at.is_(None),
    Account.email_confirmed_at,
    Account.id,
)
