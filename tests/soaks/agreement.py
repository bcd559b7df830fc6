"""G8: page, calendar, mail, look-up and sweep agree on the due instant."""

import random
import re
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

from sqlalchemy import select

from tests import sizes
from tests.blacklist.cases import do
from tests.factories import A_MOMENT, MONDAY
from tests.soaks import browsing, fields, guarantees
from tests.soaks.fields import A_DAY, Planted, Plot
from tradeboard.accounts.models import Account
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import Condition, ProposalKind, TradeState
from tradeboard.trades.services import proposals, shipping
from tradeboard.web.acting import rehearse

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
AROUND = (-HOUR, -A_MOMENT, timedelta(0), A_MOMENT, SECOND)
SPAN = 300 * 86_400
LATE = "late-receipt"
# A thousand look-ups at drawn moments are more than the limits let through.
LOOK_UPS = "tradeboard.blacklist.api.check.RATE"
SAYS_LISTED = {"none": False, "listed": True}


def run(app, *, quick: bool) -> dict:
    """Ask everything around the due instants of some trades; count who disagrees."""
    began, seed = time.monotonic(), guarantees.seed()
    number, dice = sizes.size("G8", quick=quick), random.Random(seed)
    wrong: Counter[str] = Counter()
    for _ in range(number // len(AROUND)):
        planted, due = begin(dice)
        with browsing.at(due - HOUR):
            client = browsing.sign_in(app, planted.people[1])
        wrong.update(said(planted, due, client))
        for step in AROUND:
            wrong.update(compare(app, planted, due, due + step, client))
    for what, times in wrong.items():
        print(f"{what}: {times}")
    return guarantees.report(
        guarantee="G8",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=number,
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        disagreements=sum(wrong.values()),
    )


def begin(dice: random.Random) -> tuple[Planted, datetime]:
    """Let both send and extend as often as drawn; the due instant in plain Python."""
    first = MONDAY + timedelta(
        seconds=dice.randrange(SPAN), microseconds=dice.randrange(10**6)
    )
    plot = Plot(first, (False, False), state=TradeState.PHONE_CONFIRMED)
    (planted,) = fields.plant([plot])
    poster, proposer = planted.people
    send(planted.legs[0], poster, first)
    send(planted.legs[1], proposer, first + HOUR)
    receive(planted.legs[1], poster, first + 2 * HOUR)
    extensions = dice.choice((0, 0, 1, 2))
    for n in range(extensions):
        extend(planted, first + (n + 1) * A_DAY)
    return planted, first + timedelta(hours=336 + 168 * extensions)


def send(leg: int, who: int, now: datetime) -> None:
    """Let somebody send, without a number that could be followed."""
    do(
        lambda: shipping.dispatch(
            leg, carrier="none", tracking="", by=_by(who), now=now
        )
    )


def receive(leg: int, who: int, now: datetime) -> None:
    """Let somebody say that it came as agreed."""
    do(
        lambda: shipping.confirm_receipt(
            leg,
            arrived_on=trades.day_in_japan(now),
            condition=Condition.AS_AGREED,
            words="",
            by=_by(who),
            now=now,
        )
    )


def extend(planted: Planted, now: datetime) -> None:
    """Let one side propose an extension, and the other agree."""
    poster, proposer = planted.people
    proposal = do(
        lambda: (
            proposals.propose(
                planted.trade, ProposalKind.EXTEND, "", by=_by(poster), now=now
            ).id
        )
    )
    do(
        lambda: (
            proposals.answer(proposal, agree=True, by=_by(proposer), now=now + HOUR)
            and None
        )
    )


def said(planted: Planted, due: datetime, client) -> list[str]:
    """Compare the instant itself: in mails, on the page, in the calendar."""
    found = []
    with browsing.at(due - HOUR):
        room = client.get(f"/trades/{planted.trade}").text
        calendar = client.get(f"/trades/{planted.trade}/calendar.ics").text
    shown = {
        datetime.fromisoformat(text).astimezone(UTC)
        for text in re.findall(r'<time datetime="([^"]+T[^"]+)"', room)
    }
    if due.replace(microsecond=0) not in shown:
        found.append("the page shows another instant")
    if due.strftime("DTSTART:%Y%m%dT%H%M%SZ") not in calendar:
        found.append("the calendar has another instant")
    mailed = select(OutboxMail.facts).where(
        OutboxMail.account_id.in_(planted.people),
        OutboxMail.template.in_(
            [
                "trades/mail/first_dispatch.txt",
                "trades/mail/second_dispatch.txt",
                "trades/mail/proposal_agreed.txt",
            ]
        ),
    )
    db.session.rollback()
    facts = db.session.scalars(mailed.order_by(OutboxMail.id)).all()
    if not facts or _instant(facts[-1]["due_at"]) != due:
        found.append("the mail says another instant")
    return found


def compare(app, planted: Planted, due: datetime, now: datetime, client) -> list[str]:
    """Ask everything at a moment, let it sweep, and ask the look-up."""
    over = now >= due
    db.session.rollback()
    was_open = db.session.get_one(Trade, planted.trade).state is TradeState.SHIPPED
    answers = {}
    with browsing.at(now):
        room = client.get(f"/trades/{planted.trade}").text
        answers["page"] = f"/trades/{planted.trade}/receive" not in room
        form = client.get(f"/trades/legs/{planted.legs[0]}/{LATE}")
        answers["late form"] = form.status_code == 200
        answers["receipt"] = not may_receive(planted, now)
        if was_open:
            answers["query"] = planted.trade in trades.overdue_trade_ids(now)
        sweep_overdue_trades(now)
        name = _by(planted.people[0]).handle
        with patch(LOOK_UPS, "1000000 per 1 minute"):
            look = app.test_client().get(f"/api/v1/blacklist/check?handle={name}")
        answers["look-up"] = SAYS_LISTED.get(look.json["status"])
        db.session.rollback()
        trade = db.session.get_one(Trade, planted.trade)
        answers["state"] = trade.state is TradeState.DEFAULTED
    return [
        f"{name} at {now - due}" for name, answer in answers.items() if answer != over
    ]


def may_receive(planted: Planted, now: datetime) -> bool:
    """Tell whether a receipt would be taken; nothing of it stays."""
    try:
        rehearse(
            lambda: shipping.confirm_receipt(
                planted.legs[0],
                arrived_on=trades.day_in_japan(now),
                condition=Condition.AS_AGREED,
                words="",
                by=_by(planted.people[1]),
                now=now,
            ),
            lambda: None,
        )
    except Conflict:
        return False
    return True


def _by(account_id: int) -> Account:
    return db.session.get_one(Account, account_id)


def _instant(fact: dict[str, str]) -> datetime:
    return datetime.fromisoformat(fact["instant"])
