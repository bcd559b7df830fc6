"""Many trades on their way at once, written past the services, a batch at a time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count, islice
from typing import Any

from sqlalchemy import insert

from tradeboard.accounts.models import Account, Handle
from tradeboard.accounts.rules import handles
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Line, Listing
from tradeboard.listings.rules import ListingState, Side
from tradeboard.terms.models import Agreement
from tradeboard.trades.models import Leg, OfferLine, OfferVersion, PhoneSide, Trade
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.states import Condition, LegState, Party, TradeState

A_DAY = timedelta(days=1)
AT_ONCE = 500
CARD, OTHER_CARD = "蒼天の竜", "紅蓮の騎士"
_numbers = count(1)


@dataclass(frozen=True)
class Plot:
    """One trade: when the first parcel left, and what has become of both.

    Each of `sent` and `received` is of the poster's parcel, then of the proposer's.
    Without `first` nothing has left.
    """

    first: datetime
    sent: tuple[bool, bool] = (True, False)
    received: tuple[bool, bool] = (False, False)
    tracked: bool = True
    extensions: int = 0
    state: TradeState = TradeState.SHIPPED


@dataclass(frozen=True)
class Planted:
    """What a trade became: its numbers, and those of its two people and parcels."""

    trade: int
    people: tuple[int, int]
    legs: tuple[int, int]
    due: datetime | None


def plant(plots: Iterable[Plot]) -> list[Planted]:
    """Write the trades down, each with two people of its own."""
    planted: list[Planted] = []
    rest = iter(plots)
    while batch := list(islice(rest, AT_ONCE)):
        with transaction():
            planted += _plant(batch)
    return planted


def _plant(plots: Sequence[Plot]) -> list[Planted]:
    people = _people(plots)
    pairs = [(people[2 * n], people[2 * n + 1]) for n in range(len(plots))]
    both = list(zip(plots, pairs, strict=True))
    listings = _insert(Listing, [_listing(plot, pair[0]) for plot, pair in both])
    lines = _insert(
        Line,
        [line for listing in listings for line in _lines(listing)],
    )
    trades = _insert(
        Trade,
        [
            _trade(plot, pair, listing)
            for (plot, pair), listing in zip(both, listings, strict=True)
        ],
    )
    each = list(zip(trades, plots, pairs, strict=True))
    legs = _insert(
        Leg,
        [_leg(*found, side) for found in each for side in (0, 1)],
    )
    offers = _insert(OfferVersion, [_offer(*found) for found in each])
    given = [
        {"offer_id": offer, "giver": giver, "line_id": line, "name": name}
        for n, offer in enumerate(offers)
        for giver, name, line in (
            (Party.POSTER, CARD, lines[2 * n]),
            (Party.PROPOSER, OTHER_CARD, None),
        )
    ]
    _insert(OfferLine, [{**one, "condition": "A", "quantity": 1} for one in given])
    _insert(PhoneSide, [_phone(*found, side) for found in each for side in (0, 1)])
    return [
        Planted(trade, pair, (legs[2 * n], legs[2 * n + 1]), due_of(plot))
        for n, (trade, plot, pair) in enumerate(each)
    ]


def due_of(plot: Plot) -> datetime | None:
    """Return the due instant that the column holds."""
    if plot.state is TradeState.PHONE_CONFIRMED:
        return None
    return clock.due_at(plot.first, plot.extensions)


def _insert(model: Any, rows: list[dict[str, Any]]) -> list[int]:
    statement = insert(model).returning(model.id, sort_by_parameter_order=True)
    return list(db.session.scalars(statement, rows))


def _people(plots: Sequence[Plot]) -> list[int]:
    ring, rows = keyring.ring(), []
    for plot in plots:
        for _ in range(2):
            name = f"planted{next(_numbers)}"
            address = f"{name}@example.com"
            facts = {
                "handle": name,
                "email": address,
                "email_wire": address,
                "email_key": keyring.mac_hex("email", address),
                "email_kid": ring.kid("email"),
                "email_rules": 1,
                "email_confirmed_at": plot.first - 60 * A_DAY,
                "password_hash": "!",
                "created_at": plot.first - 60 * A_DAY,
            }
            rows.append(facts)
    ids = _insert(Account, rows)
    shown = [
        {
            "account_id": account,
            "shown": row["handle"],
            "skeleton": handles.skeleton(row["handle"]),
            "since": row["created_at"],
        }
        for account, row in zip(ids, rows, strict=True)
    ]
    db.session.execute(insert(Handle), shown)
    agreed = [
        {"account_id": account, "number": 1, "agreed_at": row["created_at"]}
        for account, row in zip(ids, rows, strict=True)
    ]
    db.session.execute(insert(Agreement), agreed)
    return ids


def _listing(plot: Plot, owner: int) -> dict[str, Any]:
    at = plot.first - 3 * A_DAY
    return {
        "owner_id": owner,
        "state": ListingState.RESERVED,
        "game": "星霜のカード",
        "terms_number": 1,
        "created_at": at,
        "changed_at": at,
        "posted_at": at,
        "expires_at": at + 30 * A_DAY,
        "version": 1,
    }


def _lines(listing: int) -> list[dict[str, Any]]:
    """Return what is offered, which is promised, and what is asked for."""
    each = {"listing_id": listing, "condition": "A", "quantity": 1}
    return [
        {**each, "side": Side.HAVE, "name": CARD, "free": 0},
        {**each, "side": Side.WANT, "name": OTHER_CARD, "free": 1},
    ]


def _trade(plot: Plot, pair: tuple[int, int], listing: int) -> dict[str, Any]:
    first, due = plot.first, due_of(plot)
    return {
        "listing_id": listing,
        "poster_id": pair[0],
        "proposer_id": pair[1],
        "state": plot.state,
        "offer_number": 1,
        "terms_number": 1,
        "started_at": first - 3 * A_DAY,
        "agreed_at": first - 2 * A_DAY,
        "phone_confirmed_at": first - A_DAY,
        "revealed_at": first - A_DAY,
        "dispatch_by": None if due else first - A_DAY + clock.TO_DISPATCH,
        "first_dispatched_at": first if due else None,
        "due_at": due,
        "extensions": plot.extensions,
        "moved_at": first,
        "version": 1,
    }


def _leg(trade: int, plot: Plot, pair: tuple[int, int], side: int) -> dict[str, Any]:
    sent, received = plot.sent[side], plot.received[side]
    state = LegState.DISPATCHED if sent else LegState.NOT_SENT
    number = "444413758703" if sent and plot.tracked else ""
    arrived = plot.first + 2 * A_DAY if received else None
    return {
        "trade_id": trade,
        "sender_id": pair[side],
        "recipient_id": pair[1 - side],
        "state": LegState.RECEIVED if received else state,
        "carrier": ("yamato" if plot.tracked else "none") if sent else "",
        "tracking": number,
        "dispatched_at": plot.first if sent else None,
        "received_at": arrived,
        "arrived_on": arrived and arrived.date(),
        "condition": Condition.AS_AGREED if received else None,
    }


def _offer(trade: int, plot: Plot, pair: tuple[int, int]) -> dict[str, Any]:
    made_at = plot.first - 3 * A_DAY
    return {"trade_id": trade, "number": 1, "by_id": pair[1], "made_at": made_at}


def _phone(trade: int, plot: Plot, pair: tuple[int, int], side: int) -> dict[str, Any]:
    return {
        "trade_id": trade,
        "account_id": pair[side],
        "number_hash": keyring.mac_hex("phone", f"+8190{trade:06}{side:02}"),
        "number_kid": keyring.ring().kid("phone"),
        "sealed_at": plot.first - 2 * A_DAY,
        "words_right_at": plot.first - A_DAY,
    }
