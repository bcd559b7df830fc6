"""Report something; as a moderator answer, warn, and write remarks down."""

from datetime import datetime, timedelta

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import standing, suspension
from tradeboard.audit.services import record
from tradeboard.core import drafts
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.core.states import advance
from tradeboard.listings import services as listings
from tradeboard.notifications.services import queue_mail
from tradeboard.reports import queries, rules
from tradeboard.reports.models import MemberWarning, Remark, Report
from tradeboard.reports.queries import Target
from tradeboard.reports.rules import Outcome, Reason, ReportState
from tradeboard.trades import queries as trades


def draft_kind(target: Target) -> str:
    """Name the draft of a report of this kind."""
    return f"report-{target.subject.value}"


def report(
    target: Target, reason: Reason, words: str, *, by: Account, now: datetime
) -> Report:
    """Tell moderators of something; once, until they have answered."""
    if target.account_id == by.id:
        raise RuleBroken("自分のことは知らせられません。")
    if len(words) > rules.LONGEST_WORDS:
        raise RuleBroken("%(n)s字までです。", field="words", n=rules.LONGEST_WORDS)
    standing.lock([by.id])
    if queries.find_open(target, by.id) is not None:
        raise RuleBroken(
            "この件は、もう知らせていただいています。確認が終わるとメールが届きます。"
        )
    made = Report(
        subject=target.subject,
        listing_id=target.listing_id,
        message_id=target.message_id,
        account_id=target.account_id,
        reporter_id=by.id,
        reason=reason,
        words=words,
        made_at=now,
    )
    db.session.add(made)
    drafts.drop(by.id, draft_kind(target), target.number)
    db.session.flush()
    return made


def take(report_id: int, *, by: Account, now: datetime) -> Report:
    """Be at a report; while somebody else is, he keeps it."""
    found = _open(report_id, by)
    if found.claimed_by_id != by.id and rules.is_live(found.claimed_at, now):
        name = queries.handle_of(found.claimed_by_id)
        raise Conflict("%(name)sさんが担当しています。", name=name)
    found.claimed_by_id, found.claimed_at = by.id, now
    return found


def leave(report_id: int, *, by: Account) -> None:
    """Give the own claim back; nobody else's."""
    found = queries.lock_report(report_id)
    if found.claimed_by_id == by.id and found.state is ReportState.OPEN:
        found.claimed_by_id = found.claimed_at = None


def settle(
    report_id: int,
    outcome: Outcome,
    sentence: str,
    *,
    days: int | None = None,
    by: Account,
    now: datetime,
) -> Report:
    """Answer a report, do what was decided, and tell the reporter.

    `days` is how long a suspension lasts.
    """
    found = _open(report_id, by)
    sentence = _sentence(sentence)
    if outcome not in rules.possible(found.subject):
        raise RuleBroken("どうするかを選んでください。", field="outcome")
    _carry_out(found, outcome, sentence, days, by, now)
    found.state = advance(rules.REPORT, found.state, "settle")
    found.outcome, found.sentence = outcome, sentence
    found.settled_at, found.settled_by_id = now, by.id
    found.claimed_by_id = found.claimed_at = None
    queue_mail(
        found.reporter,
        "reports/mail/settled.txt",
        key=f"report-settled:{found.id}",
        now=now,
        subject=found.subject.value,
        made=found.made_at,
        acted=outcome is not Outcome.NOTHING,
        sentence=sentence,
    )
    record(
        "report.settled",
        f"report:{found.id}",
        by_id=by.id,
        now=now,
        outcome=outcome.value,
    )
    return found


def _carry_out(
    found: Report,
    outcome: Outcome,
    sentence: str,
    days: int | None,
    by: Account,
    now: datetime,
) -> None:
    if outcome is Outcome.HIDDEN:
        assert found.listing_id is not None
        listings.hide(found.listing_id, sentence, by=by, now=now)
    elif outcome is Outcome.WARNED:
        warn(found.account_id, found.reason, sentence, by=by, now=now)
    elif outcome is Outcome.SUSPENDED:
        if days not in rules.SUSPENSION_DAYS:
            raise RuleBroken("停止の期間を選んでください。", field="days")
        suspension.suspend(
            found.account_id,
            rules.SUSPENDED_FOR[found.reason],
            sentence,
            until=now + timedelta(days=days),
            by=by,
            now=now,
        )


def _open(report_id: int, by: Account) -> Report:
    """Return a report that this moderator may decide about, or say who did."""
    found = queries.lock_report(report_id)
    require_outsider(found, by)
    if found.state is not ReportState.OPEN:
        assert found.outcome is not None
        raise Conflict(
            "%(name)sさんが先に決めました：%(outcome)s。%(words)s",
            name=queries.handle_of(found.settled_by_id),
            outcome=rules.OUTCOMES[found.outcome],
            words=found.sentence,
        )
    return found


def require_outsider(found: Report, by: Account) -> None:
    """Let only a moderator pass whom the report does not concern."""
    if not by.may(Act.SETTLE_REPORTS) or not queries.is_outsider(found, by):
        raise NotAllowed(
            "自分が知らせた件、自分についての件は、ほかの担当者が決めます。"
        )
    if not may_settle(found, by):
        raise NotAllowed(trades.NEAR)


def may_settle(found: Report, by: Account) -> bool:
    """Tell whether somebody may decide: neither one of the two nor near to one."""
    return trades.may_judge(by, (found.account_id, found.reporter_id))


def warn(
    account_id: int, reason: Reason, sentence: str, *, by: Account, now: datetime
) -> MemberWarning:
    """Tell a member which rule something broke; it bars nothing."""
    person = accounts.get_account(account_id)
    if not by.may(Act.WARN) or not trades.may_judge(by, (person.id,)):
        raise NotAllowed("このアカウントには警告できません。")
    warning = MemberWarning(
        account_id=account_id,
        by_id=by.id,
        reason=reason,
        sentence=_sentence(sentence),
        at=now,
    )
    db.session.add(warning)
    db.session.flush()
    queue_mail(
        person,
        "reports/mail/warned.txt",
        key=f"warned:{warning.id}",
        now=now,
        reason=reason.value,
        sentence=warning.sentence,
    )
    record(
        "member.warned",
        f"account:{account_id}",
        by_id=by.id,
        now=now,
        reason=reason.value,
    )
    return warning


def see_warning(warning_id: int, *, by: Account, now: datetime) -> MemberWarning:
    """Let a member say that he has read a warning; the first time counts."""
    warning = queries.get_own_warning(by.id, warning_id)
    warning.seen_at = warning.seen_at or now
    return warning


def remark(account_id: int, words: str, *, by: Account, now: datetime) -> Remark:
    """Write something down of a person, for moderators alone."""
    person = accounts.get_account(account_id)
    words = words.strip()
    if not by.may(Act.REMARK) or person.id == by.id:
        raise NotAllowed("自分については書けません。")
    if not words:
        raise RuleBroken("書く内容を入れてください。", field="words")
    if len(words) > rules.LONGEST_REMARK:
        raise RuleBroken("%(n)s字までです。", field="words", n=rules.LONGEST_REMARK)
    made = Remark(account_id=account_id, by_id=by.id, words=words, at=now)
    db.session.add(made)
    db.session.flush()
    record("remark.made", f"account:{account_id}", by_id=by.id, now=now)
    return made


def _sentence(sentence: str) -> str:
    sentence = sentence.strip()
    if not sentence:
        raise RuleBroken("理由を一文で書いてください。", field="sentence")
    if len(sentence) > rules.LONGEST_SENTENCE:
        most = rules.LONGEST_SENTENCE
        raise RuleBroken("%(n)s字までです。", field="sentence", n=most)
    return sentence
