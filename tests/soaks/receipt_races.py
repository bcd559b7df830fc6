"""G3: a receipt and a sweep at the due instant: one of them wins, never both."""

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

from tests import sizes
from tests.factories import A_MOMENT, MONDAY, count
from tests.page_forms import find_form, get
from tests.soaks import browsing, fields, guarantees
from tests.soaks.fields import Planted, Plot
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry
from tradeboard.core.db import db
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import Condition, TradeState

PATIENCE = 30
OPENED_EVERY = 10
LONGEST_LEAD = 0.2


def run(app, *, quick: bool) -> dict:
    """Let so many pairs race; count who won, and what was wrong."""
    began, seed = time.monotonic(), guarantees.seed()
    number, dice = sizes.size("G3", quick=quick), random.Random(seed)
    plots = [
        Plot(MONDAY + timedelta(minutes=n), sent=(True, True), received=(True, False))
        for n in range(number)
    ]
    seen: Counter[str] = Counter()
    lead = 0.02
    with ThreadPoolExecutor(2) as pool:
        for planted in fields.plant(plots):
            ended = race(app, planted, lead, pool)
            seen.update(ended)
            # So that both are about as likely to be first, however fast they are.
            step = dice.uniform(0, 0.01) * (-1 if "won_receipt" in ended else 1)
            lead = min(max(0.0, lead + step), LONGEST_LEAD)
    wrong = {name: seen[name] for name in ("both", "neither", "lost", "no_form")}
    return guarantees.report(
        guarantee="G3",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=number,
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        won_receipt=seen["won_receipt"],
        won_sweep=seen["won_sweep"],
        **wrong,
    )


def race(app, planted: Planted, lead: float, pool: ThreadPoolExecutor) -> list[str]:
    """Start a receipt, and a sweep a moment later; say how it ended.

    The receipt is of the last moment that is in time, the sweep of the due instant.
    """
    poster, leg = planted.people[0], planted.legs[1]
    assert planted.due is not None
    with browsing.at(planted.due - A_MOMENT):
        client = browsing.sign_in(app, poster)
        page = get(client, f"/trades/{planted.trade}/receive")
        data = find_form(page, f"/trades/legs/{leg}/receipt").values()
        data["condition"] = str(Condition.AS_AGREED)
        barrier = Barrier(2, timeout=PATIENCE)

        def receive():
            with app.app_context():
                barrier.wait()
                return client.post(f"/trades/legs/{leg}/receipt", data=data)

        def sweep():
            with app.app_context():
                barrier.wait()
                time.sleep(lead)
                sweep_overdue_trades(planted.due)

        db.session.rollback()
        both = [pool.submit(receive), pool.submit(sweep)]
        answer = both[0].result(PATIENCE)
        both[1].result(PATIENCE)
        state, entries = _outcome(planted.trade)
    if state is TradeState.RECEIVED:
        found = ["won_receipt"]
        found += ["both"] if entries else []
        return found + (["lost"] if answer.status_code != 303 else [])
    if state is not TradeState.DEFAULTED:
        return ["neither"]
    found = ["won_sweep"]
    found += ["both"] if answer.status_code == 303 else []
    found += ["lost"] if entries != 1 else []
    with browsing.at(planted.due):
        return found + ([] if _offers_form(client, answer, leg) else ["no_form"])


def _outcome(trade_id: int) -> tuple[TradeState, int]:
    db.session.rollback()
    state = db.session.get_one(Trade, trade_id).state
    return state, count(Entry, Entry.trade_id == trade_id)


def _offers_form(client, answer, leg: int) -> bool:
    """Tell whether the refusal leads to the form for what came late.

    The form itself is opened now and then: it is the same for all.
    """
    url = f"/trades/legs/{leg}/late-receipt"
    leads = answer.status_code == 409 and url in answer.text
    return leads and (leg % OPENED_EVERY > 1 or "arrived_at" in get(client, url))
