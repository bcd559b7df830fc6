"""The listed person asks another moderator to look again, who decides."""

from collections.abc import Sequence
from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Appeal, Entry
from tradeboard.blacklist.photos import Stored
from tradeboard.blacklist.rules import appeals as rules
from tradeboard.blacklist.rules import entries as entry_rules
from tradeboard.blacklist.rules.appeals import AppealState, Right
from tradeboard.blacklist.rules.entries import LiftReason
from tradeboard.blacklist.rules.feed import ChangeType
from tradeboard.blacklist.services import (
    closing,
    drafts,
    entering,
    evidence,
    feed,
    links,
    review,
    telling,
)
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, NotFound, RuleBroken
from tradeboard.core.messages import Message, message
from tradeboard.core.states import advance
from tradeboard.trades import queries as trades

FORBIDDEN: dict[Right, Message] = {
    Right.NO_STAFF: message("判断できるのは担当者だけです。"),
    Right.PARTY: message(
        "あなたはこの取引の当事者なので、判断できません。ほかの担当者に任せてください。"
    ),
    Right.NEAR: message(trades.NEAR),
    Right.UPHELD: message(
        "あなたはこの登録を維持した担当者なので、申し立ては判断できません。"
        "ほかの担当者に任せてください。"
    ),
}

DECIDED: dict[AppealState, Message] = {
    AppealState.GRANTED: message("申し立てを認めました"),
    AppealState.REFUSED: message("申し立てを認めませんでした"),
}


def appeal(
    entry_id: int,
    words: str,
    files: Sequence[Stored],
    *,
    by: Account | None,
    link: str | None,
    now: datetime,
) -> Appeal:
    """Ask for another look: signed in, or by a mailed link, which is used up."""
    entry = queries.lock_entry(entry_id)
    _check_person(entry, by, link)
    if not entry.is_public:
        raise Conflict("異議を申し立てられるのは、公開されている登録だけです。")
    _check_words(entry, words.strip(), files, now)
    if link is not None:
        links.use(link, entry, now=now)
    person = accounts.get_account(entry.account_id)
    made = Appeal(
        entry_id=entry.id,
        by_link=link is not None,
        words=words.strip(),
        made_at=now,
        due_at=rules.due_at(now),
        state=AppealState.OPEN,
    )
    db.session.add(made)
    entry.appealed_at = now
    db.session.flush()
    if files:
        evidence.add(entry, "appeal", "", files, by=person, now=now, appeal=made)
    drafts.forget(entry.id, person.id, "appeal")
    feed.tell(entry, ChangeType.APPEALED, now=now)
    telling.tell_appealed(person, made, entry, who_may_decide(entry), now=now)
    by_id = by.id if by is not None else None
    _write_down("take", made, entry, by_id=by_id, now=now, by_link=made.by_link)
    return made


def grant(
    appeal_id: int,
    sentence: str,
    *,
    reason: LiftReason,
    version: int,
    by: Account,
    now: datetime,
) -> Appeal:
    """Agree with the person: the entry is lifted, for a moderator's reason."""
    if reason not in entry_rules.BY_MODERATORS:
        raise RuleBroken("理由の区分を選んでください。", field="reason")
    made, entry = _for_decision(appeal_id, version, sentence, by)
    _decide(made, "grant", sentence, by, now)
    words = sentence.strip()
    person = accounts.get_account(entry.account_id)
    telling.tell_decided(person, made, entry, now=now, reason=reason.value)
    _write_down("grant", made, entry, by_id=by.id, now=now, sole=made.sole)
    review.lift(entry, reason, by=by, sentence=words, now=now)
    return made


def refuse(
    appeal_id: int, sentence: str, *, version: int, by: Account, now: datetime
) -> Appeal:
    """Let the entry stand after another look; what was hidden shows again."""
    made, entry = _for_decision(appeal_id, version, sentence, by)
    _decide(made, "refuse", sentence, by, now)
    entry.appealed_at = entry.hidden_at = None
    closing.end_claim(entry.id)
    db.session.flush()
    feed.tell(entry, ChangeType.APPEAL_CLOSED, now=now)
    person = accounts.get_account(entry.account_id)
    telling.tell_decided(person, made, entry, now=now)
    _write_down("refuse", made, entry, by_id=by.id, now=now, sole=made.sole)
    return made


def hide_overdue(appeal_id: int, *, now: datetime) -> Appeal:
    """Hide the facts of an entry whose appeal has waited too long, until decided."""
    made, entry = queries.lock_appeal(appeal_id)
    waits = made.state is AppealState.OPEN and made.hidden_at is None
    if not waits or not rules.is_overdue(made.due_at, now):
        raise Conflict("いまの状態では、この操作はできません。")
    made.hidden_at = entry.hidden_at = now
    db.session.flush()
    feed.tell(entry, ChangeType.HIDDEN, now=now)
    person = accounts.get_account(entry.account_id)
    telling.tell_overdue(person, made, entry, accounts.admins(), now=now)
    _write_down("hide for", made, entry, by_id=None, now=now)
    return made


def right_of(entry: Entry, by: Account) -> Right:
    """Tell whether somebody may decide the appeal of an entry, or why not."""
    return _rights(entry, [by])[0]


def who_may_decide(entry: Entry) -> list[Account]:
    """Return the staff who may decide the appeal of an entry."""
    staff = accounts.staff()
    rights = zip(staff, _rights(entry, staff), strict=True)
    return [person for person, right in rights if right not in FORBIDDEN]


def _rights(entry: Entry, people: Sequence[Account]) -> list[Right]:
    parties, upheld = queries.parties_of(entry), queries.upheld_by(entry.id)
    outside = {person.id for person in accounts.staff() if _is_far(person, parties)}
    others = outside - upheld
    return [
        rules.right_to_decide(
            is_staff=person.may(Act.DECIDE_APPEALS),
            is_party=person.id in parties,
            is_near=person.id not in outside,
            upheld=person.id in upheld,
            others=len(others),
        )
        for person in people
    ]


def _is_far(person: Account, parties: set[int]) -> bool:
    return trades.may_judge(person, parties)


def _check_person(entry: Entry, by: Account | None, link: str | None) -> None:
    """Let the person himself appeal, or whoever holds a link that was mailed to him."""
    if link is not None:
        if links.read(link).entry_id != entry.id:
            raise NotFound("その記録はありません。")
    elif by is None or by.id != entry.account_id:
        raise NotFound("その記録はありません。")


def _check_words(
    entry: Entry, words: str, files: Sequence[Stored], now: datetime
) -> None:
    if not words:
        raise RuleBroken("申し立ての理由を書いてください。", field="words")
    if len(words) > rules.LONGEST_WORDS:
        raise RuleBroken("%(n)s字までです。", field="words", n=rules.LONGEST_WORDS)
    if len(files) > rules.MOST_FILES:
        raise RuleBroken(
            "写真は1回に%(n)s枚までです。", field="photo", n=rules.MOST_FILES
        )
    earlier = queries.appeals_of(entry.id)
    if any(one.state is AppealState.OPEN for one in earlier):
        raise Conflict("この記録には、判断を待っている申し立てがあります。")
    decided_at = max(
        (one.decided_at for one in earlier if one.decided_at), default=None
    )
    new = rules.brings_new(words, len(files), [one.words for one in earlier])
    if not rules.may_appeal_again(decided_at, now, brings_new=new):
        raise RuleBroken(
            "前と同じ内容では、判断から%(n)s日たつまで申し立てられません。"
            "新しい事実や写真があれば、いつでも申し立てられます。",
            field="words",
            n=rules.AGAIN_AFTER.days,
        )


def _for_decision(
    appeal_id: int, version: int, sentence: str, by: Account
) -> tuple[Appeal, Entry]:
    made, entry = queries.lock_appeal(appeal_id)
    right = right_of(entry, by)
    if right in FORBIDDEN:
        raise NotAllowed(FORBIDDEN[right])
    _check_version(made, version)
    review.check_sentence(sentence)
    made.sole = right is Right.SOLE
    return made, entry


def _check_version(made: Appeal, version: int) -> None:
    """Refuse a decision about what was decided or has changed; say who decided what."""
    if made.state is AppealState.OPEN and made.version == version:
        return
    if made.state is AppealState.CLOSED:
        raise Conflict("登録が終わったので、この申し立ても終わりました。")
    if made.decided_by_id is None:
        raise Conflict("記録が先に変わりました。もう一度ご確認ください。")
    raise Conflict(
        "%(name)sさんが先に判断しました：%(decision)s。%(words)s",
        name=accounts.get_account(made.decided_by_id).handle,
        decision=DECIDED[made.state],
        words=made.sentence,
    )


def _decide(
    made: Appeal, event: str, sentence: str, by: Account, now: datetime
) -> None:
    made.state = advance(rules.APPEAL, made.state, event)
    made.decided_at, made.decided_by_id = now, by.id
    made.sentence = sentence.strip()
    db.session.flush()


def _write_down(
    action: str,
    made: Appeal,
    entry: Entry,
    *,
    by_id: int | None,
    now: datetime,
    **codes,
) -> None:
    """Add a row to the audit log, last of all."""
    entering.write_down(
        f"{action} appeal of", entry, by_id=by_id, now=now, appeal=made.id, **codes
    )
