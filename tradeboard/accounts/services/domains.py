"""Keep the operator's list of domains: relays, throw-aways, and those that are none."""

from datetime import datetime

from tradeboard.accounts.models import Account, DomainRule
from tradeboard.accounts.queries import mailboxes
from tradeboard.accounts.rules import email as rules
from tradeboard.accounts.rules.email import DomainVerdict
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import reasons
from tradeboard.audit import services as audit
from tradeboard.core.db import db
from tradeboard.core.errors import NotAllowed, RuleBroken

LONGEST_REASON = 300


def set_rule(
    domain: str, verdict: DomainVerdict, reason: str, *, by: Account, now: datetime
) -> DomainRule:
    """Say how the mailboxes of a domain and all below it count; what was said goes.

    All of staff are told why.
    """
    _require_admin(by)
    name, reason = _folded(domain), reason.strip()
    if not reason:
        raise RuleBroken(
            "理由を入力してください。あとで見直すときの手がかりになります。",
            field="reason",
        )
    if len(reason) > LONGEST_REASON:
        raise RuleBroken("%(n)s字までです。", field="reason", n=LONGEST_REASON)
    rule = db.session.get(DomainRule, name)
    before = rule.verdict.value if rule is not None else None
    if rule is None:
        rule = DomainRule(domain=name)
        db.session.add(rule)
    rule.verdict, rule.reason, rule.by_id, rule.at = verdict, reason, by.id, now
    db.session.flush()
    reasons.give(Act.RULE_DOMAINS, _thing(name), reason, by=by, now=now)
    _record("set-domain-rule", name, by, now, before=before, after=verdict.value)
    return rule


def remove_rule(domain: str, why: str, *, by: Account, now: datetime) -> None:
    """Say nothing of a domain any more; the lists that ship count again.

    All of staff are told why.
    """
    _require_admin(by)
    rule = mailboxes.get_domain_rule(_folded(domain))
    reasons.give(Act.RULE_DOMAINS, _thing(rule.domain), why, by=by, now=now)
    db.session.delete(rule)
    db.session.flush()
    _record(
        "remove-domain-rule",
        rule.domain,
        by,
        now,
        before=rule.verdict.value,
        after=None,
    )


def _require_admin(by: Account) -> None:
    if not by.may(Act.RULE_DOMAINS):
        raise NotAllowed("ドメインの一覧を変えられるのは、管理者だけです。")


def _folded(domain: str) -> str:
    try:
        return rules.folded_domain(domain)
    except rules.Refused:
        raise RuleBroken(
            "ドメインの形を確認してください。「example.com」のように、"
            "「.」で区切られた名前を入力してください。",
            field="domain",
        ) from None


def _thing(domain: str) -> str:
    return f"domain:{domain}"


def _record(action, domain, by, now, *, before, after):
    audit.record(
        action, _thing(domain), by_id=by.id, now=now, before=before, after=after
    )
