"""What people traded long ago: finished trades, made whole, so that records grow."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import cycle, islice
from typing import Any

from sqlalchemy import insert

from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.folding import key
from tradeboard.demo import rated
from tradeboard.demo.cards import CARDS, GAME, Card
from tradeboard.demo.deal import CARRIERS, tracking
from tradeboard.demo.people import BY_HANDLE, PAST
from tradeboard.demo.scene import Scene
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import ListingState, Side
from tradeboard.trades.models import Leg, OfferLine, OfferVersion, Trade, TradeEvent
from tradeboard.trades.queries import day_in_japan
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import Condition, LegState, Party, TradeState
from tradeboard.trades.services import records

DAY = timedelta(days=1)
QUIET_DAYS = 110
COPIES_A_LISTING = 12
STEP = 37


def tell(scene: Scene) -> None:
    """Let all of it have happened before the first story."""
    scene.diary.on(scene.ago(QUIET_DAYS - 1), lambda now: _make(scene))


def _make(scene: Scene) -> None:
    cards = cycle(CARDS.values())
    made: list[Trade] = []
    for (poster, proposer), count in PAST.items():
        pair = scene.person(poster), scene.person(proposer)
        ends = list(_ends(scene, poster, proposer, count))
        while ends:
            some, ends = ends[:COPIES_A_LISTING], ends[COPIES_A_LISTING:]
            mine, theirs = islice(cards, 2)
            made += _made(pair, (mine, theirs), some)
    db.session.flush()
    rated.long_ago(made)
    rated.count_all()
    for handle in {handle for pair in PAST for handle in pair}:
        records.count(scene.person(handle).id)


def _ends(scene: Scene, poster: str, proposer: str, count: int) -> Iterator[datetime]:
    """Spread the ends of their trades over the time that both were here."""
    joined = min(BY_HANDLE[poster].joined, BY_HANDLE[proposer].joined)
    span = int(joined) - QUIET_DAYS - 30
    days = sorted((n * STEP + len(poster) * 5) % span for n in range(count))
    return (scene.ago(QUIET_DAYS + day, hours=day % 9) for day in reversed(days))


def _made(
    pair: tuple[Account, Account], cards: tuple[Card, Card], ends: list[datetime]
) -> list[Trade]:
    """Make one listing whose copies all went to the same person, one after another."""
    poster, proposer = pair
    mine, theirs = (
        (card.name(person.language), card)
        for card, person in zip(cards, pair, strict=True)
    )
    listing = _listing(poster, mine, theirs, ends)
    db.session.add(listing)
    db.session.flush()
    line = listing.on(Side.HAVE)[0]
    trades = [_trade(listing, proposer, line, theirs[0], end) for end in ends]
    db.session.add_all(trades)
    db.session.flush()
    # Without asking for ids, so many rows go in at once.
    rows = [row for trade in trades for row in _history(trade)]
    db.session.execute(insert(TradeEvent), rows)
    return trades


def _listing(poster, mine, theirs, ends) -> Listing:
    posted = min(ends) - 12 * DAY
    lines = [
        Line(
            side=side,
            name=name,
            key=key(name),
            set_code=card.set_code,
            rarity=card.rarity,
            language=poster.language,
            condition="A",
            quantity=len(ends),
            free=0 if side is Side.HAVE else len(ends),
            traded=len(ends) if side is Side.HAVE else 0,
        )
        for side, (name, card) in ((Side.HAVE, mine), (Side.WANT, theirs))
    ]
    return Listing(
        owner_id=poster.id,
        state=ListingState.TRADED,
        game=GAME[poster.language],
        ships_from=poster.prefecture,
        ships_to="domestic",
        search_key=key(f"{mine[0]}\n{theirs[0]}"),
        terms_number=1,
        created_at=posted,
        changed_at=max(ends),
        posted_at=posted,
        expires_at=max(ends) + 30 * DAY,
        lines=lines,
        photos=[],
    )


def _trade(
    listing: Listing, proposer: Account, line: Line, given: str, end: datetime
) -> Trade:
    began = end - 10 * DAY
    offer = OfferVersion(number=1, by_id=proposer.id, made_at=began)
    offer.lines = [
        OfferLine(
            giver=Party.POSTER,
            line_id=line.id,
            name=line.name,
            set_code=line.set_code,
            condition=line.condition,
            language=line.language,
            quantity=1,
        ),
        OfferLine(giver=Party.PROPOSER, name=given, condition="A", quantity=1),
    ]
    first = began + 4 * DAY
    return Trade(
        listing_id=listing.id,
        poster_id=listing.owner_id,
        proposer_id=proposer.id,
        state=TradeState.RECEIVED,
        offer_number=1,
        terms_number=1,
        started_at=began,
        agreed_at=began + DAY,
        revealed_at=began + 2 * DAY,
        phone_confirmed_at=began + 3 * DAY,
        caller_id=proposer.id,
        words_round=1,
        first_dispatched_at=first,
        due_at=clock.due_at(first),
        ended_at=end,
        ended_by_id=listing.owner_id,
        moved_at=end,
        offers=[offer],
        legs=[
            _leg(listing.owner_id, proposer.id, first, end - DAY),
            _leg(proposer.id, listing.owner_id, first + DAY, end),
        ],
    )


def _leg(sender_id: int, recipient_id: int, sent: datetime, came: datetime) -> Leg:
    n = int(sent.timestamp()) // 3600
    return Leg(
        sender_id=sender_id,
        recipient_id=recipient_id,
        state=LegState.RECEIVED,
        carrier=CARRIERS[n % len(CARRIERS)],
        tracking=tracking(n % 100_000),
        dispatched_at=sent,
        arrived_on=day_in_japan(came),
        received_at=came,
        condition=Condition.AS_AGREED,
    )


def _history(trade: Trade) -> list[dict[str, Any]]:
    mine, theirs = trade.legs
    return [
        _event(trade, "accept", trade.agreed_at, trade.poster_id, number=1),
        _event(trade, "confirm call", trade.phone_confirmed_at, None),
        _event(trade, "dispatch", mine.dispatched_at, mine.sender_id, leg=mine.id),
        _event(
            trade, "dispatch", theirs.dispatched_at, theirs.sender_id, leg=theirs.id
        ),
        _event(
            trade, "receive first", mine.received_at, mine.recipient_id, leg=mine.id
        ),
        _event(
            trade,
            "receive last",
            theirs.received_at,
            theirs.recipient_id,
            leg=theirs.id,
        ),
    ]


def _event(trade, event, at, actor_id, **facts) -> dict[str, Any]:
    return {
        "trade_id": trade.id,
        "at": at,
        "actor_id": actor_id,
        "event": event,
        "facts": facts,
    }
