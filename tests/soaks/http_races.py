"""D1: whatever two people do at the very same moment, it is done once.

Races over HTTP against gunicorn with four workers: both requests stand ready on their
connections and are sent together.
"""

import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Barrier

from sqlalchemy import func, select

from tests import sizes
from tests.factories import make_account
from tests.page_forms import form_fields
from tests.soaks import guarantees, serving
from tests.soaks.boards import environment_of, on_each_database
from tests.soaks.serving import Answer, Browser
from tests.trades.stages import items
from tests.worlds import make_listing, make_trade
from tradeboard.audit import queries as audit
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Line
from tradeboard.trades.models import Leg, Trade, TradeEvent
from tradeboard.trades.rules.states import LegState, ProposalKind, TradeState
from tradeboard.trades.services import negotiation, proposals

A_DAY = timedelta(days=1)
NUMBERS = ("4444-1375-8703", "4444-1375-8714")
PATIENCE = 60.0
WORKERS, QUICK_WORKERS = 4, 2  # Each new one compiles all its statements.
LEAD = 0.004  # At most so long one of the two is ahead, by dice.


@dataclass
class Race:
    """Two requests, and what tells afterwards how often something was done twice."""

    acts: list[tuple[Browser, str, dict]]
    doubles: Callable[[list[Answer]], int]
    least: int = 1  # So many of the two have to succeed,
    most: int = 1  # and no more than so many.


@dataclass
class Cast:
    """Who races: one who posts, two who propose, each with two tabs."""

    app: object
    port: int
    ids: dict[str, int] = field(default_factory=dict)
    tabs: dict[str, list[Browser]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        long_ago = clock.now() - 90 * A_DAY
        for name in ("owner", "asker", "other"):
            account = make_account(name, created_at=long_ago)
            self.ids[name] = account.id
            self.tabs[name] = [
                serving.sign_in(self.app, account, self.port) for _ in range(2)
            ]

    def __getitem__(self, name: str):
        """Return an account as it is now."""
        from tradeboard.accounts import queries

        return queries.get_account(self.ids[name])

    def offer(self, listing, name: str) -> int:
        """Let somebody propose; return the trade's number."""
        person, now = self[name], clock.now()
        return negotiation.propose(
            listing.id, items(listing), "", by=person, now=now
        ).id

    def trade(self, sent_by=(), days: int = 0, **more) -> Trade:
        """Return a trade after its call; those who sent did so some days ago."""
        return make_trade(
            self["owner"],
            self["asker"],
            sent_by=[self[name] for name in sent_by],
            at=clock.now() - days * A_DAY,
            **more,
        )


def accept_accept(cast: Cast, n: int) -> Race:
    """Two offers for the only copy, or two tabs with the same one."""
    listing = make_listing(cast["owner"], at=clock.now())
    line = _copy_of(listing.id)
    first = cast.offer(listing, "asker")
    second = cast.offer(listing, "other") if n % 2 == 0 else first
    acts = [
        (tab, f"/trades/{trade}/accept", {"number": "1"})
        for tab, trade in zip(cast.tabs["owner"], (first, second), strict=True)
    ]
    ids = {first, second}

    def doubles(_answers) -> int:
        agreed = _number(Trade.id, Trade.id.in_(ids), Trade.state == TradeState.AGREED)
        left = db.session.get_one(Line, line).free
        return (agreed != 1) + (left != 0) + _repeated(ids, "accept", of=ids)

    return Race(acts, doubles)


def accept_withdraw(cast: Cast, n: int) -> Race:
    """The poster accepts what the proposer takes back."""
    trade = cast.offer(make_listing(cast["owner"], at=clock.now()), "asker")
    acts = [
        (cast.tabs["owner"][0], f"/trades/{trade}/accept", {"number": "1"}),
        (cast.tabs["asker"][0], f"/trades/{trade}/withdraw", {}),
    ]
    return Race(
        acts, lambda answers: _ended_once(trade, answers, "agreed", "withdrawn")
    )


def accept_edit(cast: Cast, n: int) -> Race:
    """The poster accepts in one tab, and edits the listing in the other."""
    listing = make_listing(cast["owner"], at=clock.now(), ships_from="13")
    trade = cast.offer(listing, "asker")
    accepting, editing = cast.tabs["owner"]
    path = f"/listings/{listing.id}/edit"

    def typed() -> dict:
        page = editing.get(path)
        fields = form_fields(page.body.decode(), path)
        return fields | {"note": f"changed {n}", "do": "change"}

    acts = [
        (accepting, f"/trades/{trade}/accept", {"number": "1"}),
        (editing, path, typed),
    ]

    def doubles(answers) -> int:
        db.session.rollback()
        state = db.session.get_one(Trade, trade).state
        accepted = answers[0].status == 303
        return int(accepted != (state is TradeState.AGREED))

    return Race(acts, doubles)


def ship_ship(cast: Cast, n: int) -> Race:
    """One parcel twice, or both parcels at once, which may both be on their way."""
    trade = cast.trade()
    trade_id, both = trade.id, n % 2 == 1
    legs = [
        trade.leg_from(cast.ids[name]).id
        for name in ("owner", "asker" if both else "owner")
    ]
    tabs = [cast.tabs["owner"][0], cast.tabs["asker" if both else "owner"][1]]
    acts = [
        (tab, f"/trades/legs/{leg}/dispatch", {"carrier": "yamato", "tracking": number})
        for tab, leg, number in zip(tabs, legs, NUMBERS, strict=True)
    ]

    def doubles(answers) -> int:
        done = sum(answer.status == 303 for answer in answers)
        db.session.rollback()
        sent = _number(
            Leg.id, Leg.trade_id == trade_id, Leg.state == LegState.DISPATCHED
        )
        told = _number(
            TradeEvent.id,
            TradeEvent.trade_id == trade_id,
            TradeEvent.event == "dispatch",
        )
        return int(sent != done) + int(told != done)

    return Race(acts, doubles, most=2 if both else 1)


def ship_cancel(cast: Cast, n: int) -> Race:
    """One dispatches while the other agrees to cancel."""
    trade = cast.trade()
    kind, now = ProposalKind.CANCEL, clock.now()
    asked = proposals.propose(trade.id, kind, "", by=cast["owner"], now=now)
    leg = trade.leg_from(cast.ids["owner"]).id
    acts = [
        (
            cast.tabs["owner"][0],
            f"/trades/legs/{leg}/dispatch",
            {"carrier": "yamato", "tracking": NUMBERS[0]},
        ),
        (
            cast.tabs["asker"][0],
            f"/trades/proposals/{asked.id}/answer",
            {"answer": "agree"},
        ),
    ]
    trade_id = trade.id
    return Race(
        acts, lambda answers: _ended_once(trade_id, answers, "shipped", "cancelled")
    )


def receive_contest(cast: Cast, n: int) -> Race:
    """The recipient has it while the sender says that it must have come."""
    trade = cast.trade(("owner", "asker"), days=4, tracking=NUMBERS[0])
    leg = trade.leg_from(cast.ids["owner"]).id
    today = clock.now().date().isoformat()
    acts = [
        (
            cast.tabs["asker"][0],
            f"/trades/legs/{leg}/receipt",
            {"arrived_on": today, "condition": "as_agreed"},
        ),
        (
            cast.tabs["owner"][0],
            f"/trades/legs/{leg}/contest",
            {"delivered_on": (clock.now() - A_DAY).date().isoformat()},
        ),
    ]

    def doubles(answers) -> int:
        db.session.rollback()
        kept = db.session.get_one(Leg, leg)
        received, contested = (answer.status == 303 for answer in answers)
        wrong = received != (kept.state is LegState.RECEIVED)
        return int(wrong) + int(contested != (kept.contested_at is not None))

    return Race(acts, doubles, most=2)


def double_submit(cast: Cast, n: int) -> Race:
    """The same form twice: an offer for a listing."""
    listing = make_listing(cast["owner"], at=clock.now(), quantity=2)
    listing_id, line = listing.id, _copy_of(listing.id)
    fields = {
        "submit_id": f"twice {cast.port} {listing_id}",
        "do": "send",
        "poster-0-line_id": str(line),
        "poster-0-quantity": "1",
        "proposer-0-name": "紅蓮の騎士",
        "proposer-0-quantity": "1",
        "proposer-0-condition": "",
        "proposer-0-language": "",
    }
    acts = [
        (tab, f"/listings/{listing_id}/offer", fields) for tab in cast.tabs["asker"]
    ]

    def doubles(answers) -> int:
        db.session.rollback()
        made = _number(Trade.id, Trade.listing_id == listing_id)
        return int(made != 1) + int(len({answer.location for answer in answers}) != 1)

    return Race(acts, doubles, least=2, most=2)


RACES = (
    accept_accept,
    accept_withdraw,
    accept_edit,
    ship_ship,
    ship_cancel,
    receive_contest,
    double_submit,
)


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    return on_each_database(
        lambda app, folder: run(app, environment_of(app), quick=quick)["violations"]
    )


def run(app, environment, *, quick: bool) -> dict:
    """Let each kind of race happen so often; count what was done twice."""
    began, seed = time.monotonic(), guarantees.seed()
    number, dice = sizes.size("D1", quick=quick), random.Random(seed)
    kind, seen = db.engine.dialect.name, Counter()
    workers = QUICK_WORKERS if quick else WORKERS
    with (
        serving.served(environment, workers=workers) as (_, port),
        ThreadPoolExecutor(2) as pool,
    ):
        cast = Cast(app, port)
        for make in RACES:
            for n in range(number):
                with transaction():
                    race = make(cast, n)
                seen.update(_run(race, make.__name__, dice, pool))
    db.session.rollback()
    seen["chain"] += audit.verify().broken is not None
    db.session.rollback()
    wrong = {name: seen[name] for name in ("doubles", "neither", "5xx", "chain")}
    return guarantees.report(
        guarantee="D1",
        db=kind,
        size=sizes.name(quick=quick),
        n=number * len(RACES),
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        **wrong,
        **{"409s": seen["409s"], "second_won": seen["second_won"]},
    )


def _run(
    race: Race, name: str, dice: random.Random, pool: ThreadPoolExecutor
) -> Counter:
    """Send both at once, and say how it ended."""
    acts = [
        (browser, path, fields() if callable(fields) else fields)
        for browser, path, fields in race.acts
    ]
    for browser, _, _ in acts:
        browser.connect()
    barrier = Barrier(2, timeout=PATIENCE)
    waits = [dice.uniform(0, LEAD) * dice.randrange(2) for _ in acts]

    def send(act, wait) -> Answer:
        browser, path, fields = act
        barrier.wait()
        time.sleep(wait)
        return browser.post(path, **fields)

    answers = [
        found.result(PATIENCE)
        for found in [
            pool.submit(send, *pair) for pair in zip(acts, waits, strict=True)
        ]
    ]
    db.session.rollback()
    done = sum(answer.status == 303 for answer in answers)
    statuses = [answer.status for answer in answers]
    found = Counter(
        {
            "5xx": sum(answer.is_fault for answer in answers),
            "409s": statuses.count(409),
            "doubles": race.doubles(answers) + max(0, done - race.most),
            "neither": int(done < race.least),
            "second_won": int(statuses[0] != 303),
        }
    )
    odd = set(statuses) - {303, 409}
    if odd or found["doubles"] or found["neither"]:
        print(f"{name}: {statuses} {dict(found)}", flush=True)
    db.session.rollback()
    return found


def _ended_once(trade_id: int, answers: list[Answer], one: str, other: str) -> int:
    """Tell whether the trade is where exactly the successful act leads."""
    db.session.rollback()
    state = db.session.get_one(Trade, trade_id).state
    led = [
        name for name, a in zip((one, other), answers, strict=True) if a.status == 303
    ]
    return int(led != [state])


def _copy_of(listing_id: int) -> int:
    """Return the number of the line that a listing gives."""
    have = select(Line.id).where(Line.listing_id == listing_id, Line.side == "have")
    return db.session.scalars(have).one()


def _number(column, *where) -> int:
    return db.session.scalar(select(func.count(column)).where(*where))


def _repeated(trades, event: str, *, of) -> int:
    """Return how often more than one of these trades had this happen."""
    happened = _number(
        TradeEvent.id, TradeEvent.trade_id.in_(trades), TradeEvent.event == event
    )
    return max(0, happened - 1)
