"""D9: a history explains itself: some order of the model explains every answer.

Eight browsers act on one trade at the same time, and write down when they asked, when
they were answered, and how. An order explains a history if no act comes before one that
had been answered before it was asked, if the model permits all that was done, and if it
forbids what was refused. Who was refused while somebody else's act was being done may
have lost the race for the row; such a refusal needs no other reason.
"""

import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta

from tests import sizes
from tests.soaks import guarantees, serving, trade_model
from tests.soaks.boards import environment_of, on_each_database
from tests.soaks.http_races import NUMBERS, Cast
from tests.soaks.lives import picture
from tests.soaks.serving import Browser
from tests.soaks.trade_model import OTHER, POSTER, PROPOSER, Model
from tests.worlds import make_listing
from tradeboard.audit import queries as audit
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import ProposalKind
from tradeboard.trades.services import proposals

A_DAY = timedelta(days=1)
CLIENTS, ACTS_EACH = 8, 2
PATIENCE = 120.0
LEAD = 0.02
WHO = {POSTER: "owner", PROPOSER: "asker"}


@dataclass(frozen=True)
class Answered:
    """One act: when it was asked and answered, by whom, what, and whether it was done.

    `done` is None where no answer came: it may have been done or not.
    """

    start: float
    end: float
    who: str
    event: str
    done: bool | None

    def overlaps(self, other: "Answered") -> bool:
        """Tell whether both were under way at some moment."""
        return self.start < other.end and other.start < self.end


def explain(begin: Model, history: Sequence[Answered], now, fits=None) -> list | None:
    """Return an order that explains the history and ends as it `fits`, or None.

    Orders are tried depth first; what was reached once, by whichever order of the same
    acts, is not tried again.
    """
    whole = (1 << len(history)) - 1
    lost = [_may_have_lost(act, history) for act in history]
    seen: set[tuple[int, str]] = set()

    def search(done: int, model: Model, order: list) -> list | None:
        if done == whole:
            return order if fits is None or fits(model) else None
        if (done, repr(model)) in seen:
            return None
        seen.add((done, repr(model)))
        for n in _next(history, done):
            for after in _outcomes(model, history[n], lost[n], now):
                found = search(done | 1 << n, after, [*order, history[n]])
                if found is not None:
                    return found
        return None

    return search(0, begin, [])


def _next(history, done: int):
    """Return the acts that may come next: none was asked after another's answer."""
    left = [n for n in range(len(history)) if not done >> n & 1]
    first_end = min(history[n].end for n in left)
    return [n for n in left if history[n].start <= first_end]


def _outcomes(model: Model, act: Answered, lost: bool, now) -> list[Model]:
    """Return what the trade may be after an act was answered like this."""
    after = trade_model.after(model, act.who, act.event, now)
    if act.done:
        return [] if after is None else [after]
    if act.done is None:
        return [model] if after is None else [after, model]
    return [model] if after is None or lost else []


def _may_have_lost(act: Answered, history) -> bool:
    return any(other.done and other.overlaps(act) for other in history)


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    return on_each_database(
        lambda app, folder: run(app, environment_of(app), quick=quick)["violations"]
    )


def run(app, environment, *, quick: bool) -> dict:
    """Record so many histories; count those that nothing explains."""
    began, seed = time.monotonic(), guarantees.seed()
    number, dice = sizes.size("D9", quick=quick), random.Random(seed)
    acts = unexplained = faults = 0
    with (
        serving.served(environment) as (_, port),
        ThreadPoolExecutor(CLIENTS) as pool,
    ):
        cast = Cast(app, port)
        tabs = _tabs(app, cast, port)
        for n in range(number):
            with transaction():
                begin, paths, trade_id = BEGINNINGS[n % len(BEGINNINGS)](cast)
            history, failed = _record(tabs, paths, dice, pool)
            acts += len(history)
            faults += failed
            if not _is_explained(begin, history, trade_id):
                unexplained += 1
                print("unexplained:", *history, sep="\n  ", flush=True)
    db.session.rollback()
    chain = int(audit.verify().broken is not None)
    db.session.rollback()
    return guarantees.report(
        guarantee="D9",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=number,
        violations=unexplained + faults + chain,
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        histories=number,
        acts=acts,
        unexplained=unexplained,
        **{"5xx": faults},
    )


def _tabs(app, cast: Cast, port: int) -> dict[str, list[Browser]]:
    """Give each of the two as many browsers as there are clients for him."""
    return {
        who: [serving.sign_in(app, cast[name], port) for _ in range(CLIENTS // 2)]
        for who, name in WHO.items()
    }


def _is_explained(begin: Model, history, trade_id: int) -> bool:
    said = picture(trade_id)

    def fits(model: Model) -> bool:
        legs = [model.parcels[who].state for who in (POSTER, PROPOSER)]
        return (
            model.state == said["state"]
            and legs == [parcel[0] for parcel in said["parcels"]]
            and sorted(model.proposals) == said["open"]
        )

    return explain(begin, history, clock.now(), fits) is not None


def _record(tabs, paths, dice, pool) -> tuple[list[Answered], int]:
    """Let all browsers act at once; return what they wrote down, and the failures."""
    plans = []
    for who, browsers in tabs.items():
        names = sorted(event for by, event in paths if by == who)
        for browser in browsers:
            steps = [
                (dice.choice(names), dice.uniform(0, LEAD)) for _ in range(ACTS_EACH)
            ]
            plans.append((who, browser, steps))

    def act(plan):
        who, browser, steps = plan
        found = []
        for event, wait in steps:
            time.sleep(wait)
            path, fields = paths[who, event]
            start = time.monotonic()
            answer = browser.post(path, **fields)
            end = time.monotonic()
            done = None if answer.is_fault else answer.status == 303
            found.append((Answered(start, end, who, event, done), answer.is_fault))
        return found

    running = [pool.submit(act, plan) for plan in plans]
    found = [pair for one in running for pair in one.result(PATIENCE)]
    return [answered for answered, _ in found], sum(failed for _, failed in found)


def _negotiating(cast: Cast):
    """An offer that one accepts or declines while the other takes it back."""
    trade = cast.offer(make_listing(cast["owner"], at=clock.now()), "asker")
    url = f"/trades/{trade}"
    paths = {
        (POSTER, "accept"): (f"{url}/accept", {"number": "1"}),
        (POSTER, "decline"): (f"{url}/decline", {}),
        (PROPOSER, "accept"): (f"{url}/accept", {"number": "1"}),
        (PROPOSER, "withdraw"): (f"{url}/withdraw", {}),
    }
    return trade_model.begun(clock.now()), paths, trade


def _confirmed(cast: Cast):
    """A call that was confirmed, and a proposal to give it up."""
    trade, now = cast.trade(), clock.now()
    kind = ProposalKind.CANCEL
    asked = proposals.propose(trade.id, kind, "", by=cast["owner"], now=now)
    answer = f"/trades/proposals/{asked.id}/answer"
    paths = {
        **_parcels(cast, trade, "dispatch"),
        (PROPOSER, "agree cancel"): (answer, {"answer": "agree"}),
        (PROPOSER, "decline proposal"): (answer, {"answer": "decline"}),
        (POSTER, "take back"): (answer, {"answer": "take_back"}),
    }
    model = Model(
        state="phone_confirmed",
        turn=None,
        confirmed_at=now,
        proposals={"cancel": (POSTER, now)},
    )
    return model, paths, trade.id


def _shipped(cast: Cast):
    """A parcel that is on its way for four days, and one that is not."""
    trade = cast.trade(("owner",), days=4, tracking=NUMBERS[0])
    paths = _parcels(
        cast, trade, "dispatch", "receive", "contest", "withhold", "undo mark"
    )
    paths.pop((POSTER, "withhold"))
    return _sent(POSTER), paths | _settling(trade), trade.id


def _both_shipped(cast: Cast):
    """Both parcels are on their way."""
    trade = cast.trade(("owner", "asker"), days=4, tracking=NUMBERS[0])
    paths = _parcels(cast, trade, "receive", "receive other", "contest", "undo mark")
    return _sent(POSTER, PROPOSER), paths | _settling(trade), trade.id


BEGINNINGS = (_negotiating, _confirmed, _shipped, _both_shipped)


def _sent(*who: str) -> Model:
    now = clock.now()
    at = now - 4 * A_DAY
    model = Model(
        state="shipped",
        turn=None,
        first_at=at,
        confirmed_at=at,
        due_at=at + 14 * A_DAY,
    )
    for one in who:
        model = model.with_parcel(one, state="dispatched", sent_at=at)
    return model


def _settling(trade: Trade) -> dict:
    url = f"/trades/{trade.id}/proposals"
    return {
        (who, f"propose {kind}"): (url, {"kind": kind, "words": "x"})
        for who in (POSTER, PROPOSER)
        for kind in ("extend", "settle")
    }


def _parcels(cast: Cast, trade: Trade, *events: str) -> dict:
    """Return where each of the two sends what is about parcels."""
    today, yesterday = clock.now(), clock.now() - A_DAY
    came = {"arrived_on": today.date().isoformat(), "condition": "as_agreed"}
    differs = came | {"condition": "differs", "words": "角が折れています"}
    found = {}
    for who in (POSTER, PROPOSER):
        own = f"/trades/legs/{trade.leg_from(cast.ids[WHO[who]]).id}"
        theirs = f"/trades/legs/{trade.leg_from(cast.ids[WHO[OTHER[who]]]).id}"
        sent = {"carrier": "yamato", "tracking": NUMBERS[0]}
        delivered = {"delivered_on": yesterday.date().isoformat()}
        ways = {
            "dispatch": (f"{own}/dispatch", sent),
            "receive": (f"{theirs}/receipt", came),
            "receive other": (f"{theirs}/receipt", differs),
            "contest": (f"{own}/contest", delivered),
            "withhold": (f"{own}/withhold", {}),
            "undo mark": (f"{own}/undo", {"what": "mark"}),
        }
        found.update({(who, event): ways[event] for event in events})
    return found
