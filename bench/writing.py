"""Cases that change something: every change that was acknowledged must be there."""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count

from sqlalchemy import func, select

from bench import cast, limit_tables, trading
from bench.cast import FORM, Browser
from bench.load import Ask, post
from bench.measure import Failed, Figures, Setting, both, compare, counted, warm
from bench.world import KINDS, OPEN_BELOW
from tradeboard.core.db import db
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import ListingState, Side
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules.states import LegState

MOST_A_SECOND = 500
BESIDE = 60  # For counting statements and warming up.
EACH = 7  # More than eight an hour would wait for a moderator.


@dataclass
class Work:
    """What is sent, once each, and which of it the database has."""

    asks: list[Ask]
    done: Callable[[], set[int]]


def post_listing(setting: Setting, writers: list[Browser], number: int) -> Work:
    """Post a draft: the listing is public and can be searched for."""
    drafts = cast.drafts(setting.app, writers, number)
    asks = [one.post(f"/listings/drafts/{id}/post", id) for id, one in drafts]

    def done() -> set[int]:
        return _ids(select(Listing.id).where(Listing.state == ListingState.OPEN))

    return Work(asks, done)


def post_offer(setting: Setting, writers: list[Browser], number: int) -> Work:
    """Send a first offer on somebody's listing."""
    picks = random.Random(number)
    kinds = setting.world.size // KINDS
    ids = {
        picks.randrange(kinds) * KINDS + picks.randrange(OPEN_BELOW) + 1
        for _ in range(number * 2)
    }
    lines = {
        listing_id: line_id
        for some in _in_parts(sorted(ids))
        for listing_id, line_id in db.session.execute(
            select(Line.listing_id, func.min(Line.id))
            .where(Line.listing_id.in_(some), Line.side == Side.HAVE)
            .group_by(Line.listing_id)
        )
    }
    every = sorted(lines.items())
    wanted = [(at, *every[at % len(every)]) for at in range(number)]
    asks, made = [], {}
    for at, listing_id, line_id in wanted:
        one = writers[(at + at // len(every)) % len(writers)]
        asks.append(one.post(f"/listings/{listing_id}/offer", at, **_offer(line_id)))
        made[listing_id, one.person.id] = at

    def done() -> set[int]:
        found = select(Trade.listing_id, Trade.proposer_id)
        first = writers[0].person.id
        db.session.rollback()
        rows = db.session.execute(found.where(Trade.proposer_id >= first))
        return {made[one, other] for one, other in rows if (one, other) in made}

    return Work(asks, done)


def _offer(line_id: int) -> dict[str, str]:
    return {
        "poster-0-line_id": str(line_id),
        "poster-0-quantity": "1",
        "proposer-0-name": "紅蓮の騎士",
        "proposer-0-set_code": "S1-002",
        "proposer-0-condition": "A",
        "proposer-0-language": "ja",
        "proposer-0-quantity": "1",
        "note": "よろしくお願いします。",
    }


def post_dispatch(setting: Setting, writers: list[Browser], number: int) -> Work:
    """Say that a parcel is on its way, which starts the clock."""
    called = trading.CALLED
    trades = cast.trade(setting.app, setting.world, writers, number, called)
    legs = [(trade_id * 2 - 1, one) for trade_id, one in trades]
    way = {"carrier": "yamato", "tracking": "4444-1375-8703"}
    asks = [one.post(f"/trades/legs/{leg}/dispatch", leg, **way) for leg, one in legs]

    def done() -> set[int]:
        first = writers[0].person.id
        sent = Leg.state == LegState.DISPATCHED
        return _ids(select(Leg.id).where(Leg.sender_id >= first, sent))

    return Work(asks, done)


WRITING: dict[str, Callable[[Setting, list[Browser], int], Work]] = {
    case.__name__: case for case in (post_listing, post_offer, post_dispatch)
}


def measured(setting: Setting, cases: Iterable[str]) -> Iterator[Figures]:
    """Measure the cases of writing, each with people of its own."""
    works = {case: _prepared(setting, case) for case in cases if case in WRITING}
    if not works:
        return
    asks = {case: iter(work.asks) for case, work in works.items()}
    statements = counted(setting, asks)
    with both(setting) as (board, limit):
        for case, work in works.items():
            some = iter([next(asks[case]) for _ in range(BESIDE // 2)])
            warm(case, board, some, setting.options.warm_s)
            least = (_insert(at) for at in count())
            warm(f"the limit of {case}", limit, least, setting.options.warm_s)
            yield compare(
                setting,
                case,
                (board, asks[case]),
                (limit, least),
                statements,
                partial(_require, case, work),
            )
    _require_inserted()


def _prepared(setting: Setting, case: str) -> Work:
    options = setting.options
    number = int(options.rounds * options.seconds * MOST_A_SECOND) + BESIDE
    members = max(40, number // EACH // 2 * 2)
    writers = cast.join(setting.app, setting.world, members)
    return WRITING[case](setting, writers, number)


def _insert(at: int) -> Ask:
    return post("/insert", b"text=a+row+of+the+limit", FORM, {}, at)


def _require(case: str, work: Work, tags: list[int]) -> None:
    """Stop if anything was acknowledged and is not there."""
    acknowledged = set(tags)
    lost = acknowledged - work.done()
    if lost or not acknowledged:
        raise Failed(f"{case}: {len(lost)} of {len(acknowledged)} changes are lost")


def _require_inserted() -> None:
    if not cast.rows_of(limit_tables.plain):
        raise Failed("the limit wrote nothing")


def _ids(wanted) -> set[int]:
    db.session.rollback()
    return set(db.session.scalars(wanted))


def _in_parts(ids: list[int], size: int = 5000) -> Iterator[list[int]]:
    for at in range(0, len(ids), size):
        yield ids[at : at + size]
