"""D2: only legal transitions: lives of trades at random, beside a pure model."""

import random
import time
from datetime import timedelta

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from tests import sizes
from tests.factories import MONDAY, make_account
from tests.soaks import guarantees, trade_model
from tests.soaks.boards import on_each_database
from tests.soaks.trade_model import ACTS, OTHER, POSTER, PROPOSER, STAFF, STRANGER, TIME
from tests.trades.stages import Stage, items
from tradeboard.accounts import queries as accounts
from tradeboard.accounts.rules.standing import Role
from tradeboard.audit import queries as audit
from tradeboard.core.db import db
from tradeboard.core.errors import Refusal
from tradeboard.core.messages import message
from tradeboard.core.transaction import transaction
from tradeboard.trades import queries
from tradeboard.trades.rules.states import Condition, ProposalKind
from tradeboard.trades.services import (
    closing,
    marks,
    negotiation,
    overdue,
    phone,
    proposals,
    shipping,
)

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
PAUSES = [MINUTE, 20 * MINUTE, HOUR, 6 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY]
SENT = {"carrier": "yamato", "tracking": "4444-1375-8703"}
NUMBERS = {POSTER: "090-3123-4567", PROPOSER: "080-3123-4567"}
CALLED = [
    (POSTER, "accept"),
    (POSTER, "seal"),
    (PROPOSER, "seal"),
    (POSTER, "type right words"),
    (PROPOSER, "type right words"),
]
PEOPLE = (POSTER, PROPOSER, STRANGER, STAFF)


class Differs(AssertionError):
    """The board and the model do not agree."""


class Doing:
    """Does with the board what the model knows by name."""

    def __init__(self, stage: Stage, ids: dict[str, int]):
        self.stage, self.ids = stage, ids

    def __call__(self, who: str, event: str, now) -> bool:
        """Do it; tell whether it was allowed."""
        try:
            with transaction():
                self.now, self.who = now, who
                self.trade = queries.get_trade(self.stage.id)
                getattr(self, event.replace(" ", "_"))()
        except Refusal:
            return False
        return True

    @property
    def by(self) -> dict:
        """Return who does it, and when."""
        return {"by": accounts.get_account(self.ids[self.who]), "now": self.now}

    def _leg(self, *, own: bool) -> int:
        """Return the parcel that is sent or received; others try the poster's."""
        sender = self.who if own else OTHER.get(self.who, POSTER)
        sender = sender if sender in NUMBERS else POSTER
        legs = self.trade.legs
        return self.trade.leg_from(self.ids[sender]).id if legs else 0

    def counter(self):
        offer = items(self.stage.listing, given=1 + self.trade.offer_number % 3)
        number = self.trade.offer_number
        negotiation.counter(self.trade.id, number, offer, "", **self.by)

    def answer_an_old_version(self):
        number = self.trade.offer_number - 1
        negotiation.accept(self.trade.id, number, **self.by)

    def accept(self):
        negotiation.accept(self.trade.id, self.trade.offer_number, **self.by)

    def edit_listing(self):
        if self.who != POSTER or not queries.negotiating_on(self.stage.listing.id):
            raise _refusal()
        said = [message("枚数を変えました。")]
        negotiation.listing_changed(self.stage.listing.id, said, **self.by)

    def decline(self):
        negotiation.decline(self.trade.id, **self.by)

    def withdraw(self):
        negotiation.withdraw(self.trade.id, **self.by)

    def lapse(self):
        negotiation.lapse(self.trade.id, now=self._of_time())

    def seal(self):
        number = NUMBERS.get(self.who, "070-3123-4567")
        phone.seal(self.trade.id, number, "JP", "東京都千代田区一番 山田", **self.by)

    def type_right_words(self):
        partner = self.ids[OTHER.get(self.who, POSTER)]
        known = self.trade.words_kid is not None
        words = " ".join(phone.words_of(self.trade, partner)) if known else "ない"
        phone.try_words(self.trade.id, words, called=False, **self.by)

    def type_wrong_words(self):
        phone.try_words(self.trade.id, "ちがう ことば", called=False, **self.by)

    def open_round(self):
        phone.open_round(self.trade.id, **self.by)

    def go_quiet(self):
        closing.cancel_quiet(self.trade.id, now=self._of_time())

    def dispatch(self):
        shipping.dispatch(self._leg(own=True), **SENT, **self.by)

    def receive(self, differs: str = ""):
        shipping.confirm_receipt(
            self._leg(own=False),
            arrived_on=queries.day_in_japan(self.now),
            condition=Condition.DIFFERS if differs else Condition.AS_AGREED,
            words=differs,
            **self.by,
        )

    def receive_other(self):
        self.receive("角が折れています")

    def contest(self):
        today = queries.day_in_japan(self.now)
        marks.contest(self._leg(own=True), delivered_on=today, **self.by)

    def withhold(self):
        marks.withhold(self._leg(own=True), **self.by)

    def undo_dispatch(self):
        marks.undo_dispatch(self._leg(own=True), **self.by)

    def undo_receipt(self):
        marks.undo_receipt(self._leg(own=False), **self.by)

    def undo_mark(self):
        marks.undo_mark(self._leg(own=True), **self.by)

    def solve(self):
        shipping.solve(self._leg(own=False), **self.by)

    def _propose(self, kind: str, words: str = ""):
        proposals.propose(self.trade.id, ProposalKind(kind), words, **self.by)

    def propose_cancel(self):
        self._propose("cancel")

    def propose_extend(self):
        self._propose("extend")

    def propose_settle(self):
        self._propose("settle", "送り返します")

    def _answer(self, found, *, agree: bool):
        if not found:
            raise _refusal()
        newest = max(found, key=lambda one: (one.made_at, one.id))
        proposals.answer(newest.id, agree=agree, **self.by)

    def _open(self, kind: str | None = None):
        return [
            one
            for one in self.trade.proposals
            if one.answered_at is None and kind in (None, one.kind)
        ]

    def agree_cancel(self):
        self._answer(self._open("cancel"), agree=True)

    def agree_extend(self):
        self._answer(self._open("extend"), agree=True)

    def agree_settle(self):
        self._answer(self._open("settle"), agree=True)

    def decline_proposal(self):
        self._answer(self._open(), agree=False)

    def take_back(self):
        found = self._open()
        if not found:
            raise _refusal()
        newest = max(found, key=lambda one: (one.made_at, one.id))
        proposals.take_back(newest.id, **self.by)

    def agree_by_silence(self):
        now = self._of_time()
        for one in self._open("cancel"):
            return proposals.settle_silent(one.id, now=now)
        raise _refusal()

    def default(self):
        overdue.default(self.trade.id, now=self._of_time())

    def dispatch_late(self):
        overdue.dispatch_late(self._leg(own=True), **SENT, **self.by)

    def receive_late(self):
        arrived = self.now - MINUTE
        overdue.confirm_late(self._leg(own=False), arrived_at=arrived, **self.by)

    def _of_time(self):
        """Return the moment; nobody can do what time does."""
        if self.who != TIME:
            raise _refusal()
        return self.now


def _refusal() -> Refusal:
    return Refusal(message("いまの状態では、この操作はできません。"))


class Life(RuleBasedStateMachine):
    """One trade, and the model beside it."""

    cells: set[tuple[str, str, str]] = set()
    steps = 0
    lives = 0

    @initialize(called=st.booleans())
    def begin(self, called):
        """Propose; or go on to the end of the call at once."""
        type(self).lives += 1
        ids = people(self.lives)
        with transaction():
            found = [accounts.get_account(ids[who]) for who in (POSTER, PROPOSER)]
            stage = Stage(*found).negotiating(MONDAY)
        self.doing, self.now = Doing(stage, ids), MONDAY
        self.model = trade_model.begun(MONDAY)
        for who, event in CALLED if called else ():
            self.step(who, event, MINUTE)

    @rule(
        pause=st.sampled_from(PAUSES),
        wild=st.sampled_from([False, False, True]),
        n=st.integers(0, 10_000),
    )
    def live(self, pause, wild, n):
        """Let somebody do something that is allowed; or anybody anything."""
        if wild:
            everything = [(who, event) for event in ACTS for who in PEOPLE]
            found = everything
        else:
            found = trade_model.allowed(self.model, self.now + pause)
        if found:
            self.step(*found[n % len(found)], pause)

    def step(self, who, event, pause):
        """Do it on both sides, and compare."""
        self.now += pause
        before = self.model
        expected = trade_model.after(before, who, event, self.now)
        done = self.doing(who, event, self.now)
        type(self).steps += 1
        self.cells.add((before.state, event, who))
        what = f"{who} does {event} while {before.state}"
        if done != (expected is not None):
            raise Differs(f"{what}: {'done' if done else 'refused'}, against the model")
        self.model = expected or before
        said, right = picture(self.doing.stage.id), picture_of(self.model)
        if said != right:
            raise Differs(f"{what}: {said} instead of {right}")

    def teardown(self):
        """Leave nothing open."""
        db.session.rollback()


def people(number: int) -> dict[str, int]:
    """Return new people for one life; nobody is short of numbers to open."""
    long_ago = MONDAY - 90 * DAY
    roles = {POSTER: "po", PROPOSER: "pr", STRANGER: "st", STAFF: "mo"}
    made = {}
    with transaction():
        for who, name in roles.items():
            role = Role.MODERATOR if who == STAFF else Role.MEMBER
            handle = f"{name}{number}"
            made[who] = make_account(handle, role=role, created_at=long_ago).id
    return made


def picture(trade_id: int) -> dict:
    """Return what the board knows of a trade."""
    db.session.rollback()
    trade = queries.get_trade(trade_id)
    senders = {POSTER: trade.poster_id, PROPOSER: trade.proposer_id}
    legs = {who: trade.leg_from(number) if trade.legs else None
            for who, number in senders.items()}  # fmt: skip
    found = {
        "state": str(trade.state),
        "turn": trade.turn and str(trade.turn),
        "version": trade.offer_number,
        "limit": trade.answer_by or trade.call_by or trade.dispatch_by,
        "due": trade.due_at,
        "extensions": trade.extensions,
        "open": sorted(str(p.kind) for p in trade.proposals if p.answered_at is None),
        "parcels": [
            (str(leg.state), leg.dispatched_at, leg.received_at, leg.contested_at)
            if leg
            else ("not_sent", None, None, None)
            for leg in legs.values()
        ],
    }
    db.session.rollback()
    return found


def picture_of(model: trade_model.Model) -> dict:
    """Return what the model knows, in the same words."""
    parcels = [model.parcels[who] for who in (POSTER, PROPOSER)]
    return {
        "state": model.state,
        "turn": model.turn,
        "version": model.version,
        "limit": model.limit,
        "due": model.due_at,
        "extensions": model.extensions,
        "open": sorted(model.proposals),
        "parcels": [(p.state, p.sent_at, p.came_at, p.contested_at) for p in parcels],
    }


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    return on_each_database(lambda *_: run(quick=quick)["violations"])


def run(*, quick: bool) -> dict:
    """Let so many trades live, of so many steps; report where the model disagreed."""
    began, number = time.monotonic(), guarantees.seed()
    Life.cells, Life.steps, Life.lives = set(), 0, 0
    lives = sizes.size("D2", quick=quick)
    wanted = settings(
        max_examples=lives,
        stateful_step_count=sizes.size("D2 steps", quick=quick),
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    wrong = 0
    random.seed(number)
    try:
        seed(number)(Life)
        run_state_machine_as_test(Life, settings=wanted)
    except Differs as difference:
        print(difference, *getattr(difference, "__notes__", ()), sep="\n", flush=True)
        wrong = 1
    db.session.rollback()
    chain = int(audit.verify().broken is not None)
    db.session.rollback()
    return guarantees.report(
        guarantee="D2",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=Life.lives,
        violations=wrong + chain,
        secs=round(time.monotonic() - began, 1),
        seed=number,
        steps=Life.steps,
        cells=len(Life.cells),
        chain=chain,
    )
