"""Ask one of the two for something, and note what a carrier's page says."""

from datetime import date, datetime

from tradeboard.accounts.models import Account
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry, Evidence, EvidenceRequest
from tradeboard.blacklist.rules import desk as rules
from tradeboard.blacklist.rules.entries import STANDING_STATES
from tradeboard.blacklist.services import entering, evidence, review, telling
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.trades import queries as trades
from tradeboard.trades.rules import carriers


def ask(
    entry_id: int,
    to_id: int,
    words: str,
    *,
    by: Account,
    now: datetime,
    due_on: date | None = None,
) -> EvidenceRequest:
    """Ask one of the two to bring something forward, within a week if nobody says."""
    entry = _open_entry(entry_id, by)
    if to_id not in queries.parties_of(entry):
        raise RuleBroken("だれに聞くかを選んでください。", field="to")
    _check_question(words)
    due_on = due_on or rules.default_day(now)
    if not rules.is_possible_day(due_on, now):
        raise RuleBroken(
            "明日から%(n)s日後までの日付にしてください。",
            field="due_on",
            n=rules.LONGEST_DELAY.days,
        )
    if queries.open_request_count(entry.id, to_id) >= rules.MOST_OPEN_REQUESTS:
        raise RuleBroken(
            "この人への、まだ答えのない質問は%(n)s件までです。",
            field="to",
            n=rules.MOST_OPEN_REQUESTS,
        )
    request = EvidenceRequest(
        entry_id=entry.id,
        to_id=to_id,
        by_id=by.id,
        words=words.strip(),
        made_at=now,
        due_at=rules.end_of(due_on),
    )
    db.session.add(request)
    db.session.flush()
    telling.tell_asked(request, entry, now=now)
    entering.write_down("ask about", entry, by_id=by.id, now=now, to=to_id)
    return request


def note_carrier_page(
    entry_id: int, leg_id: int, words: str, *, by: Account, now: datetime
) -> Evidence:
    """Keep what the carrier's page said of a parcel, with the entry of its sender.

    A parcel whose sender has no entry is noted with the entry that is looked at.
    """
    entry = _open_entry(entry_id, by)
    leg = trades.get_leg(leg_id)
    if leg.trade_id != entry.trade_id or not leg.tracking:
        raise RuleBroken("この荷物には追跡番号がありません。", field="words")
    _check_question(words)
    number = carriers.pretty(leg.carrier, leg.tracking)
    of_sender = queries.find_entry(leg.trade_id, leg.sender_id)
    target = of_sender if of_sender is not None else entry
    said = f"{number}：{words.strip()}"
    noted = evidence.add(target, "carrier_page", said, by=by, now=now)
    entering.write_down("note carrier page of", target, by_id=by.id, now=now)
    return noted


def _open_entry(entry_id: int, by: Account) -> Entry:
    entry = queries.lock_entry(entry_id)
    review.require_outsider(entry, by)
    if entry.state not in STANDING_STATES:
        raise Conflict("この記録は終わっています。")
    return entry


def _check_question(words: str) -> None:
    if not words.strip():
        raise RuleBroken("内容を書いてください。", field="words")
    if len(words) > rules.LONGEST_QUESTION:
        raise RuleBroken("%(n)s字までです。", field="words", n=rules.LONGEST_QUESTION)
