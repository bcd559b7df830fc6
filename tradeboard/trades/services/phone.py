"""The call (B-04): both seal, both see, both speak and type the other's words."""

import hmac
from datetime import datetime, timedelta
from enum import StrEnum

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.rules.phone import masked
from tradeboard.audit.services import record as audit
from tradeboard.core import doing, keyring, sealed
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken, TooMany
from tradeboard.notifications.services import queue_mail
from tradeboard.trades import queries
from tradeboard.trades.models import PhoneSide, Trade
from tradeboard.trades.rules import clock, words
from tradeboard.trades.rules.states import TradeState
from tradeboard.trades.services import numbers, rekeying
from tradeboard.trades.services.moving import move, require_before

MOST_OPEN_REVEALS = 3
MOST_REVEALS_A_DAY = 5
A_DAY = timedelta(days=1)


class Tried(StrEnum):
    """What became of a try at the partner's words."""

    RIGHT = "right"
    CONFIRMED = "confirmed"
    WRONG = "wrong"
    NEW_WORDS = "new_words"
    REPLACED = "replaced"
    CLOSED = "closed"


def seal(
    trade_id: int, number: str, region: str, address: str, *, by: Account, now: datetime
) -> PhoneSide:
    """Put one's number and postal address under seal; the second seal reveals both.

    Changing a number after the reveal breaks both seals: a new round, and the partner
    seals again.
    """
    trade, own, other = _sides(trade_id, by, now)
    verdict = numbers.check_number(number, region)
    numbers.check_address(address)
    numbers.refuse_partners(verdict, other)
    _limit_reveals(by.id, trade, now)
    if trade.revealed_at is not None:
        _break_seals(trade, own, other, by, now)
    move(trade, "seal", by_id=by.id, now=now)
    _keep(own, verdict.key, verdict.extension, verdict.code, address, now)
    numbers.look_at(verdict, by=by, now=now)
    if other.sealed_at is not None:
        _reveal(trade, now)
    else:
        queue_mail(
            trade.partner_of(by.id),
            "trades/mail/partner_sealed.txt",
            key=f"sealed:{trade.id}:{by.id}:{trade.words_round}",
            now=now,
            trade=trade.id,
            partner=by.handle,
            call_by=trade.call_by,
        )
    return own


def words_of(trade: Trade, account_id: int) -> tuple[str, str]:
    """Return the two words that this side reads aloud; made when they are needed."""
    value = f"{trade.id}:{account_id}:{trade.words_round}"
    made = keyring.mac("words", value, trade.words_kid)
    return words.word_pair(made, trade.words_language)


def try_words(
    trade_id: int,
    typed: str,
    *,
    called: bool,
    shown_round: int | None = None,
    by: Account,
    now: datetime,
) -> Tried:
    """Compare what one side typed with the other's words; both right ends the step.

    A wrong try is counted even though nothing was achieved, so the caller commits.
    Words for a round that is over (`shown_round`) are neither compared nor counted.
    """
    trade, own, other = _sides(trade_id, by, now)
    if trade.revealed_at is None or trade.call_closed_at is not None:
        raise Conflict("いまは合言葉を確かめられません。")
    if called:
        trade.caller_id = by.id
    if shown_round not in (None, trade.words_round):
        return Tried.REPLACED
    if own.words_right_at is not None:
        return Tried.RIGHT
    move(trade, "try words", by_id=by.id, now=now)
    if not _are_right(trade, other, typed):
        return _count_wrong(trade, now)
    own.words_right_at = now
    if other.words_right_at is None:
        return Tried.RIGHT
    _confirm(trade, now)
    return Tried.CONFIRMED


def choose_words(trade_id: int, language: str, *, by: Account, now: datetime) -> None:
    """Let either side choose the word list before the first try."""
    trade, _, _ = _sides(trade_id, by, now)
    if language not in ("ja", "en"):
        raise RuleBroken("合言葉の言語を選んでください。", field="language")
    tried = trade.words_tries or any(side.words_right_at for side in trade.phones)
    if trade.words_round > 1 or tried:
        raise Conflict("合言葉の言語は、最初に確かめる前だけ変えられます。")
    move(trade, "try words", by_id=by.id, now=now, language=language)
    trade.words_language = language
    if trade.revealed_at is not None:
        _hash_words(trade)


def open_round(trade_id: int, *, by: Account, now: datetime) -> Trade:
    """Let a moderator who is no party open one more round after the third."""
    trade = queries.get_trade(trade_id)
    two = (trade.poster_id, trade.proposer_id)
    if not by.may(Act.HELP_TRADES) or not queries.may_judge(by, two):
        raise NotAllowed("当事者ではない担当者だけができる操作です。")
    if trade.call_closed_at is None:
        raise Conflict("この確認は止まっていません。")
    require_before(trade.call_by, now)
    move(trade, "open round", by_id=by.id, now=now)
    trade.call_closed_at = None
    _new_round(trade)
    audit("open call round", f"trade:{trade.id}", by_id=by.id, now=now)
    return trade


def erase(trade_id: int, *, now: datetime) -> None:
    """Erase numbers and addresses 30 days after the trade ended."""
    trade = queries.get_trade(trade_id)
    if not clock.is_over(trade.numbers_until, now):
        raise Conflict("期限はまだ過ぎていません。")
    for side in trade.phones:
        side.number = side.number_hash = side.number_kid = side.address = None
        side.words_hash = None
    trade.numbers_until = None


def _sides(trade_id, by, now):
    trade = queries.get_trade_of(by.id, trade_id)
    if trade.state is not TradeState.AGREED:
        raise Conflict("いまの状態では、この操作はできません。")
    require_before(trade.call_by, now)
    own = next(side for side in trade.phones if side.account_id == by.id)
    other = next(side for side in trade.phones if side.account_id != by.id)
    return trade, own, other


def _limit_reveals(account_id: int, trade: Trade, now: datetime) -> None:
    """Keep people from agreeing only to collect numbers."""
    if queries.open_reveals(account_id, but=trade.id) >= MOST_OPEN_REVEALS:
        raise TooMany(
            "電話の確認が済んでいない取引が%(n)s件あります。先にそちらを進めてください。",
            n=MOST_OPEN_REVEALS,
        )
    lately = queries.reveals_since(account_id, now - A_DAY, but=trade.id)
    if lately >= MOST_REVEALS_A_DAY:
        raise TooMany(
            "番号を開けるのは24時間に%(n)s件までです。",
            n=MOST_REVEALS_A_DAY,
            retry_at=now + A_DAY,
        )


def _keep(side, key, extension, code, address, now):
    cell = queries.phone_cell(side)
    number = key if extension is None else f"{key};ext={extension}"
    side.number = sealed.seal(number, cell=f"{cell}.number")
    side.address = sealed.seal(address.strip(), cell=f"{cell}.address")
    side.number_kid = keyring.ring().kid("phone")
    side.number_hash = keyring.mac_hex("phone", key)
    rekeying.move_number(key)
    side.number_masked, side.number_code = masked(key), code
    side.sealed_at = now


def _reveal(trade: Trade, now: datetime) -> None:
    """Show each number to the partner, both at the same instant."""
    for owner in (trade.poster, trade.proposer):
        viewer = trade.partner_of(owner.id)
        _limit_reveals_of_both(viewer.id, trade, now)
        doing.note("reveal")
        audit(
            queries.REVEAL,
            f"account:{owner.id}",
            by_id=None,
            now=now,
            trade=trade.id,
            viewer=viewer.id,
        )
        queue_mail(
            owner,
            "trades/mail/revealed.txt",
            key=f"revealed:{trade.id}:{owner.id}:{trade.words_round}",
            now=now,
            trade=trade.id,
            partner=viewer.handle,
            call_by=trade.call_by,
        )
    trade.revealed_at = now
    _new_round(trade)


def _limit_reveals_of_both(account_id: int, trade: Trade, now: datetime) -> None:
    try:
        _limit_reveals(account_id, trade, now)
    except TooMany:
        raise Conflict(
            "相手か自分が、いま同時に確かめられる数を超えています。"
            "ほかの取引の確認が済むと封ができます。"
        ) from None


def _break_seals(trade, own, other, by, now):
    trade.revealed_at = None
    own.sealed_at = other.sealed_at = None
    queue_mail(
        trade.partner_of(by.id),
        "trades/mail/number_changed.txt",
        key=f"number-changed:{trade.id}:{by.id}:{trade.words_round}",
        now=now,
        trade=trade.id,
        partner=by.handle,
        call_by=trade.call_by,
    )


def _new_round(trade: Trade) -> None:
    trade.words_round += 1
    trade.words_kid = keyring.ring().kid("words")
    trade.words_tries = 0
    for side in trade.phones:
        side.words_right_at = None
    _hash_words(trade)


def _hash_words(trade: Trade) -> None:
    for side in trade.phones:
        side.words_hash = _hash(trade, " ".join(words_of(trade, side.account_id)))


def _hash(trade: Trade, text: str) -> str:
    value = f"pair:{trade.id}:{trade.words_round}:{words.fold_words(text)}"
    return keyring.mac_hex("words", value, trade.words_kid)


def _are_right(trade: Trade, other: PhoneSide, typed: str) -> bool:
    expected = other.words_hash or ""
    return hmac.compare_digest(expected, _hash(trade, typed))


def _count_wrong(trade: Trade, now: datetime) -> Tried:
    trade.words_tries += 1
    if trade.words_tries < words.TRIES_PER_ROUND:
        return Tried.WRONG
    if trade.words_round >= words.ROUNDS:
        trade.call_closed_at = now
        return Tried.CLOSED
    _new_round(trade)
    return Tried.NEW_WORDS


def _confirm(trade: Trade, now: datetime) -> None:
    move(trade, "confirm call", by_id=None, now=now, caller=trade.caller_id)
    trade.phone_confirmed_at = now
    trade.call_by, trade.dispatch_by = None, now + clock.TO_DISPATCH
    for side in trade.phones:
        side.words_hash = None
    for person in (trade.poster, trade.proposer):
        queue_mail(
            person,
            "trades/mail/phone_confirmed.txt",
            key=f"phone-confirmed:{trade.id}:{person.id}",
            now=now,
            trade=trade.id,
            partner=trade.partner_of(person.id).handle,
            dispatch_by=trade.dispatch_by,
        )
