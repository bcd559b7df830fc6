"""List by hand: a moderator, with evidence and one factual sentence."""

from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules import entries as rules
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.blacklist.services import (
    entering,
    receipts,
    review,
    snapshots,
    telling,
)
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.findings import Finding

LONGEST_EVIDENCE = 2000


def list_by_hand(
    account_id: int,
    finding: Finding,
    trade_id: int | None,
    evidence: str,
    sentence: str,
    *,
    by: Account,
    now: datetime,
) -> Entry:
    """List a person with evidence; it counts as reviewed."""
    person = accounts.get_account(account_id)
    if person.erased_at is not None:
        raise Conflict("退会して消去されたアカウントなので、登録できません。")
    trade = trades.get_trade(trade_id) if trade_id is not None else None
    _check_by(by, person, trade)
    _check_words(finding, trade, evidence, sentence)
    if trade is not None and queries.find_entry(trade.id, person.id) is not None:
        raise Conflict("この取引のこの人には、もう記録があります。")
    entry = entering.enter(
        person,
        trade,
        finding,
        state=EntryState.LISTED,
        devices=snapshots.devices_in(trade, person.id) if trade is not None else [],
        phones=snapshots.phones_in(trade, person.id) if trade is not None else [],
        facts=_facts(trade, person),
        by_id=by.id,
        now=now,
    )
    entry.upheld_at, entry.review_by = now, None
    receipts.add_evidence(entry, "by_hand", evidence.strip(), by=by, now=now)
    telling.tell_listed(person, entry, now=now)
    entering.decide(
        entry, "list", finding.value, by_id=by.id, now=now, sentence=sentence.strip()
    )
    return entry


def _facts(trade: Trade | None, person: Account) -> dict:
    if trade is None or not trade.legs:
        return {}
    return snapshots.facts_of(trade.leg_from(person.id))


def _check_by(by: Account, person: Account, trade: Trade | None) -> None:
    if not by.may(Act.LIST_BY_HAND):
        raise NotAllowed("判断できるのは担当者だけです。")
    parties = {person.id}
    if trade is not None:
        parties |= {trade.poster_id, trade.proposer_id}
        if person.id not in (trade.poster_id, trade.proposer_id):
            raise RuleBroken(
                "この人は、その取引の当事者ではありません。", field="trade"
            )
    if by.id in parties:
        raise NotAllowed(
            "あなたはこの取引の当事者なので、判断できません。"
            "ほかの担当者に任せてください。"
        )
    if not trades.may_judge(by, parties):
        raise NotAllowed(trades.NEAR)


def _check_words(
    finding: Finding, trade: Trade | None, evidence: str, sentence: str
) -> None:
    if finding not in rules.FINDINGS_BY_HAND:
        raise RuleBroken("所見を選んでください。", field="finding")
    if finding is Finding.NOT_AS_AGREED and trade is None:
        raise RuleBroken("どの取引のことかを入れてください。", field="trade")
    if not evidence.strip():
        raise RuleBroken("証拠を書いてください。", field="evidence")
    if len(evidence) > LONGEST_EVIDENCE:
        raise RuleBroken("%(n)s字までです。", field="evidence", n=LONGEST_EVIDENCE)
    review.check_sentence(sentence)
