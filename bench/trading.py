"""Trades of a world: written from one row each, whatever stage they are at."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Integer,
    MetaData,
    String,
    Table,
    case,
    insert,
    literal,
    select,
)
from sqlalchemy import cast as sql_cast

from bench import phones
from bench.board import LINES_A_LISTING, block_lines, numbers
from bench.bulk import Bulk
from bench.people import Keys
from bench.world import (
    DAY_S,
    OPEN_BELOW,
    ROUNDS,
    SLOT_S,
    TRADES_A_LISTING,
    TWO_WEEKS_S,
    World,
)
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.listings.rules import Side
from tradeboard.trades.models import (
    Leg,
    OfferLine,
    OfferVersion,
    PhoneSide,
    Trade,
    TradeEvent,
)
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.rules.states import Condition, LegState, Party, TradeState

# How far a trade has come: the call is done; one sent; both sent; one came; time over.
CALLED, ONE_SENT, BOTH_SENT, ONE_CAME, OVER = range(5)
TRACKING = "444413758703"
EVENTS_A_TRADE = 12
HOUR_S = 3600

scratch = MetaData()
drafts = Table(
    "bench_trade",
    scratch,
    Column("id", Integer, primary_key=True),
    Column("listing_id", Integer),
    Column("line_id", Integer),
    Column("asked", String),
    Column("given", String),
    Column("poster_id", Integer),
    Column("proposer_id", Integer),
    Column("stage", Integer),
    Column("called_s", Integer),
    Column("sent_s", Integer),
    Column("due_s", Integer),
)
TABLES = db.metadata.tables
MODELS = (Trade, Leg, OfferVersion, OfferLine, PhoneSide, TradeEvent)
FILLED = tuple(TABLES[model.__tablename__] for model in MODELS)


def draft(bulk: Bulk, world: World) -> None:
    """Lay out as many open trades as there are listings, some of them overdue."""
    counted = select(literal(0, BigInteger).label("t")).cte("counted", recursive=True)
    counted = counted.union_all(
        select(counted.c.t + 1).where(counted.c.t < world.size - 1)
    )
    t = counted.c.t
    pair = t // TRADES_A_LISTING
    listing = pair // 5 * 20 + OPEN_BELOW + pair % 5
    base = int(world.at.timestamp())
    overdue = base - (ROUNDS - t // world.slot) * SLOT_S + t % (SLOT_S - 600)
    later = base + DAY_S + t * 37 % (12 * DAY_S)
    due = case((t < ROUNDS * world.slot, overdue), else_=later)
    first, second = (world.free(t * 104_729 % 1_000_003 + more) for more in (0, 1))
    n, have, want = numbers.c, block_lines.alias(), block_lines.alias()
    proposer = case((first == n.owner, second), else_=first)
    made = select(
        t + 1,
        listing + 1,
        (listing + 1) * LINES_A_LISTING,
        have.c.name,
        want.c.name,
        n.owner,
        proposer,
        t % 3 + ONE_SENT,
        due - TWO_WEEKS_S - DAY_S,
        due - TWO_WEEKS_S,
        due,
    ).select_from(
        counted.join(numbers, n.n == listing)
        .join(have, (have.c.block == n.block) & (have.c.place == 0))
        .join(want, (want.c.block == n.block) & (want.c.place == 1))
    )
    made = made.where(want.c.side == Side.WANT)
    names = [column.name for column in drafts.columns]
    bulk.connection.execute(insert(drafts).from_select(names, made))


def add(bulk: Bulk, rows: Iterable[Mapping[str, Any]]) -> None:
    """Lay out trades that Python names, beside others or alone."""
    bulk.rows(drafts, rows)


def write(bulk: Bulk, keys: Keys) -> None:
    """Write every trade that was laid out, with all that belongs to it."""
    _trades(bulk)
    _legs(bulk)
    _offers(bulk)
    _events(bulk)
    phones.write(bulk, drafts, keys)


def _trades(bulk: Bulk) -> None:
    t = drafts.c
    is_sent, is_over = t.stage > CALLED, t.stage == OVER
    state = case(
        (t.stage == CALLED, str(TradeState.PHONE_CONFIRMED)),
        (is_over, str(TradeState.DEFAULTED)),
        else_=str(TradeState.SHIPPED),
    )
    bulk.select(
        TABLES[Trade.__tablename__],
        {
            "id": t.id,
            "listing_id": t.listing_id,
            "poster_id": t.poster_id,
            "proposer_id": t.proposer_id,
            "state": state,
            "offer_number": 1,
            "terms_number": 1,
            "started_at": bulk.moment(t.called_s - 2 * DAY_S),
            "agreed_at": bulk.moment(t.called_s - DAY_S),
            "phone_confirmed_at": bulk.moment(t.called_s),
            "dispatch_by": case((~is_sent, bulk.moment(t.called_s + 7 * DAY_S))),
            "first_dispatched_at": case((is_sent, bulk.moment(t.sent_s))),
            "due_at": case((is_sent, bulk.moment(t.due_s))),
            "ended_at": case((is_over, bulk.moment(t.due_s))),
            "numbers_until": case((is_over, bulk.moment(t.due_s + 30 * DAY_S))),
            "words_round": 1,
            "words_kid": keyring.ring().kid("words"),
            "revealed_at": bulk.moment(t.called_s - DAY_S + HOUR_S),
            "moved_at": case((is_over, bulk.moment(t.due_s)), else_=_moved(bulk)),
            "version": 7,
        },
        drafts,
    )


def _moved(bulk: Bulk):
    t = drafts.c
    return case(
        (t.stage == CALLED, bulk.moment(t.called_s)),
        (t.stage == ONE_SENT, bulk.moment(t.sent_s)),
        (t.stage == BOTH_SENT, bulk.moment(t.sent_s + DAY_S)),
        else_=bulk.moment(t.sent_s + 3 * DAY_S),
    )


def _legs(bulk: Bulk) -> None:
    """Write both parcels; the poster's is the one that is sent first, and comes."""
    t = drafts.c
    came = t.stage.in_((ONE_CAME, OVER))
    for own, sender, recipient, sent_s, is_sent, has_come in (
        (0, t.poster_id, t.proposer_id, t.sent_s, t.stage >= ONE_SENT, came),
        (
            1,
            t.proposer_id,
            t.poster_id,
            t.sent_s + DAY_S,
            t.stage.in_((BOTH_SENT, ONE_CAME)),
            literal(False),
        ),
    ):
        state = case(
            (has_come, str(LegState.RECEIVED)),
            (is_sent, str(LegState.DISPATCHED)),
            else_=str(LegState.NOT_SENT),
        )
        failed = (t.stage == OVER) & literal(bool(own))
        came_at = bulk.moment(t.sent_s + 3 * DAY_S)
        bulk.select(
            TABLES[Leg.__tablename__],
            {
                "id": t.id * 2 - 1 + own,
                "trade_id": t.id,
                "sender_id": sender,
                "recipient_id": recipient,
                "state": state,
                "carrier": case((is_sent, "yamato"), else_=""),
                "tracking": case((is_sent, TRACKING), else_=""),
                "dispatched_at": case((is_sent, bulk.moment(sent_s))),
                "arrived_on": case((has_come, bulk.day(t.sent_s + 3 * DAY_S))),
                "received_at": case((has_come, came_at)),
                "condition": case((has_come, str(Condition.AS_AGREED))),
                "defaulted_at": case((failed, bulk.moment(t.due_s))),
                "finding": case((failed, str(Finding.NEVER_DISPATCHED))),
            },
            drafts,
        )


def _offers(bulk: Bulk) -> None:
    t = drafts.c
    bulk.select(
        TABLES[OfferVersion.__tablename__],
        {
            "id": t.id,
            "trade_id": t.id,
            "number": 1,
            "by_id": t.proposer_id,
            "made_at": bulk.moment(t.called_s - 2 * DAY_S),
        },
        drafts,
    )
    for own, giver, name in ((0, Party.POSTER, t.asked), (1, Party.PROPOSER, t.given)):
        bulk.select(
            TABLES[OfferLine.__tablename__],
            {
                "id": t.id * 2 - 1 + own,
                "offer_id": t.id,
                "giver": giver,
                "line_id": literal(None, Integer) if own else t.line_id,
                "name": name,
                "condition": "A",
                "quantity": 1,
            },
            drafts,
        )


def _events(bulk: Bulk) -> None:
    t = drafts.c
    nobody = literal(None, Integer)
    mine, theirs = t.id * 2 - 1, t.id * 2
    steps = (
        (-DAY_S, t.called_s, t.poster_id, "accept", '{"number": 1}', None, CALLED),
        (HOUR_S - DAY_S, t.called_s, t.poster_id, "seal", "{}", None, CALLED),
        (HOUR_S - DAY_S, t.called_s, t.proposer_id, "seal", "{}", None, CALLED),
        (0, t.called_s, t.poster_id, "try words", "{}", None, CALLED),
        (0, t.called_s, t.proposer_id, "try words", "{}", None, CALLED),
        (0, t.called_s, nobody, "confirm call", '{"caller": null}', None, CALLED),
        (0, t.sent_s, t.poster_id, "dispatch", "", mine, ONE_SENT),
        (DAY_S, t.sent_s, t.proposer_id, "dispatch", "", theirs, BOTH_SENT),
        (3 * DAY_S, t.sent_s, t.proposer_id, "receive first", "", mine, ONE_CAME),
        (0, t.due_s, nobody, "default", "{}", None, OVER),
    )
    for place, (later, since, actor, event, facts, leg, stage) in enumerate(steps):
        written: ColumnElement[str] = literal(facts)
        if leg is not None:
            written = literal('{"leg": ') + sql_cast(leg, String) + literal("}")
        # Of a trade whose time is over, the second parcel was never sent.
        skipped = t.stage == OVER if stage == BOTH_SENT else literal(False)
        bulk.select(
            TABLES[TradeEvent.__tablename__],
            {
                "id": t.id * EVENTS_A_TRADE + place,
                "trade_id": t.id,
                "at": bulk.moment(since + later),
                "actor_id": actor,
                "event": event,
                "facts": bulk.json(written),
            },
            drafts,
            t.stage >= stage,
            ~skipped,
        )
