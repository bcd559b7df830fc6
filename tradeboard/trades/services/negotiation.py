"""Propose, counter, accept, decline: until both want the same."""

from collections.abc import Callable, Sequence
from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services import blocking, standing
from tradeboard.core.db import id_of
from tradeboard.core.errors import Conflict, NotAllowed
from tradeboard.core.messages import Message
from tradeboard.listings import queries as listings
from tradeboard.listings import services as listing_services
from tradeboard.listings.rules import ListingState
from tradeboard.notifications.services import queue_mail
from tradeboard.terms import services as terms
from tradeboard.trades import queries
from tradeboard.trades.models import Leg, OfferLine, OfferVersion, PhoneSide, Trade
from tradeboard.trades.queries import Between, Offered, Trader
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.offers import Item
from tradeboard.trades.rules.states import Party, TradeState
from tradeboard.trades.services import checking, closing, offering, texts
from tradeboard.trades.services.moving import move, require_before, require_party


def propose(
    listing_id: int,
    items: Sequence[Item] | Callable[[Offered], Sequence[Item]],
    note: str,
    *,
    by: Account,
    now: datetime,
) -> offering.Opened:
    """Open a trade with a first offer; the poster has three days to answer.

    The listing is locked: of two offers by one person at once, the second is refused,
    and no edit of the listing passes one by. Whoever leaves at this moment makes no
    offer. `items` may be read from the listing once it is locked.
    """
    listing, proposer, between = queries.lock_to_offer(listing_id, id_of(by))
    if callable(items):
        items = items(listing)
    standing.gate(proposer)
    terms.refuse_due(between.terms, between.agreed)
    _may_propose(listing, proposer, between)
    checking.check(items, note, listing, proposer)
    terms_number = between.terms or 0
    return offering.open_trade(listing, proposer, terms_number, items, note, now=now)


def counter(
    trade_id: int,
    number: int,
    items: Sequence[Item],
    note: str,
    *,
    by: Account,
    now: datetime,
) -> Trade:
    """Answer version `number` with another; both acceptances are cleared."""
    trade = queries.get_trade_of(by.id, trade_id)
    _may_deal(by)
    _may_answer(trade, number, by, now)
    listing = listings.get_listing(trade.listing_id)
    checking.check(items, note, listing, by)
    move(trade, "counter", by_id=by.id, now=now, number=number + 1)
    trade.turn = trade.party_of(trade.partner_of(by.id).id)
    trade.answer_by = now + clock.TO_ANSWER
    _add_version(trade, items, note, by, now)
    partner = trade.partner_of(by.id)
    offering.tell(trade.id, trade.offer_number, partner, by.handle, now=now)
    return trade


def accept(trade_id: int, number: int, *, by: Account, now: datetime) -> Trade:
    """Agree to version `number`; its copies are reserved in the same transaction."""
    trade = queries.get_trade_of(by.id, trade_id)
    trade.terms_number = _may_deal(by)
    _may_answer(trade, number, by, now)
    _may_accept(trade, by)
    _may_be_agreed_with(trade.partner_of(by.id))
    if queries.are_one_person(trade.poster_id, trade.proposer_id):
        raise NotAllowed("同じ端末と電話番号を使う人どうしでは取引できません。")
    if listings.get_listing(trade.listing_id).state is not ListingState.OPEN:
        raise Conflict("この募集はもう受け付けていません。")
    move(trade, "accept", by_id=by.id, now=now, number=number)
    listing_services.reserve(queries.promised(trade, Party.POSTER), now=now)
    trade.turn = trade.answer_by = None
    trade.agreed_at, trade.call_by = now, now + clock.TO_CALL
    trade.words_language = "ja"
    if "en" in (trade.poster.language, trade.proposer.language):
        trade.words_language = "en"
    _prepare(trade)
    for person in (trade.poster, trade.proposer):
        queue_mail(
            person,
            "trades/mail/accepted.txt",
            key=f"accepted:{trade.id}:{person.id}",
            now=now,
            trade=trade.id,
            partner=trade.partner_of(person.id).handle,
            call_by=trade.call_by,
        )
    return trade


def decline(trade_id: int, *, by: Account, now: datetime) -> Trade:
    """Let the poster say no."""
    return _leave(trade_id, Party.POSTER, "decline", by, now)


def withdraw(trade_id: int, *, by: Account, now: datetime) -> Trade:
    """Let the proposer take the offer back."""
    return _leave(trade_id, Party.PROPOSER, "withdraw", by, now)


def lapse(trade_id: int, *, now: datetime) -> None:
    """End an offer that nobody answered for three days."""
    trade = queries.get_trade(trade_id)
    if not clock.is_over(trade.answer_by, now):
        raise Conflict("期限はまだ過ぎていません。")
    move(trade, "lapse", by_id=None, now=now)
    closing.end(trade, by_id=None, now=now)
    for person in (trade.poster, trade.proposer):
        queue_mail(
            person,
            "trades/mail/lapsed.txt",
            key=f"lapsed:{trade.id}:{person.id}",
            now=now,
            trade=trade.id,
            partner=trade.partner_of(person.id).handle,
        )


def listing_changed(
    listing_id: int, changes: Sequence[Message], *, by: Account, now: datetime
) -> int:
    """Make each open offer on an edited listing the proposer's turn again.

    `changes` are sentences that say the difference; return how many offers there were.
    """
    running = queries.negotiating_on(listing_id)
    told = [{"text": said.text, "gaps": dict(said.gaps)} for said in changes]
    for trade in running:
        move(trade, "edit listing", by_id=by.id, now=now, changes=told)
        trade.turn = Party.PROPOSER
        trade.answer_by = now + clock.TO_ANSWER
        queue_mail(
            trade.proposer,
            "trades/mail/listing_changed.txt",
            key=f"listing-changed:{trade.id}:{now.isoformat()}",
            now=now,
            trade=trade.id,
            partner=trade.poster.handle,
            answer_by=trade.answer_by,
        )
    return len(running)


def _leave(trade_id, party, event, by, now):
    trade = queries.get_trade_of(by.id, trade_id)
    if trade.party_of(by.id) is not party:
        raise NotAllowed("この操作ができるのは、もう一方の人です。")
    require_before(trade.answer_by, now)
    move(trade, event, by_id=by.id, now=now)
    closing.end(trade, by_id=by.id, now=now)
    other = trade.partner_of(by.id)
    queue_mail(
        other,
        f"trades/mail/{trade.state}.txt",
        key=f"{trade.state}:{trade.id}",
        now=now,
        trade=trade.id,
        partner=by.handle,
    )
    return trade


def _may_deal(by: Account) -> int:
    """Let only people in good standing who agreed to the terms deal (B-06)."""
    standing.gate(by)
    return terms.require(by)


def _may_propose(listing: Offered, by: Trader, between: Between) -> None:
    if listing.owner_id == by.id:
        raise NotAllowed("自分の募集には申し込めません。")
    if listing.state is not ListingState.OPEN:
        raise Conflict("この募集はもう受け付けていません。")
    if listing.owner.standing is not Standing.GOOD:
        raise Conflict("この募集の持ち主は、いま新しい取引ができません。")
    if between.negotiates:
        raise Conflict(
            "この募集にはすでに申し込んでいます。取引の画面で続けてください。"
        )
    blocking.refuse_unwelcome(
        is_blocked=between.owner_blocks, blocks=between.proposer_blocks
    )
    if between.share_a_device and queries.share_a_number(listing.owner_id, by.id):
        raise NotAllowed("同じ端末と電話番号を使う人どうしでは取引できません。")


def _may_answer(trade: Trade, number: int, by: Account, now: datetime) -> None:
    require_party(trade, by)
    if trade.state is not TradeState.NEGOTIATING:
        raise Conflict("この申し込みはもう終わっています。")
    blocking.require_welcome(by, trade.partner_of(by.id).id)
    require_before(trade.answer_by, now)
    if number != trade.offer_number:
        raise Conflict(texts.stale_offer(trade, number))
    if trade.turn is not trade.party_of(by.id):
        raise Conflict("いまは相手の返事を待っています。")


def _may_accept(trade: Trade, by: Account) -> None:
    """Let nobody agree with himself, nor to cards that left the listing.

    An edited listing makes it the proposer's turn, whose own version may be the newest.
    """
    newest = queries.newest_offer(trade)
    if newest.by_id == by.id:
        raise Conflict(
            "自分が出した版には合意できません。内容を確かめて、もう一度送ってください。"
        )
    if any(line.line_id is None for line in newest.lines if line.giver is Party.POSTER):
        raise Conflict("この枚数はもうありません。いまの内容をご確認ください。")


def _may_be_agreed_with(partner: Account) -> None:
    """Let nobody agree with a barred person (B-02); a hold is not for others to see."""
    if partner.standing not in (Standing.GOOD, Standing.HELD):
        raise Conflict("相手の人は、いま新しい取引の合意ができません。")


def _add_version(trade, items, note, by, now):
    trade.offer_number += 1
    version = OfferVersion(number=trade.offer_number, by_id=by.id, note=note)
    version.made_at = now
    version.lines = [
        OfferLine(
            giver=Party(item.giver),
            line_id=item.line_id,
            name=item.name,
            set_code=item.set_code,
            condition=item.condition,
            language=item.language,
            quantity=item.quantity,
        )
        for item in items
    ]
    trade.offers.append(version)


def _prepare(trade: Trade) -> None:
    """Lay out both parcels and both sides of the call."""
    for sender in (trade.poster, trade.proposer):
        partner = trade.partner_of(sender.id)
        trade.legs.append(Leg(sender_id=sender.id, recipient_id=partner.id))
        trade.phones.append(PhoneSide(account_id=sender.id))
