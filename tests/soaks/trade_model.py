"""A pure model of one trade: what each may do when, and what becomes of it.

It is written from the rules and shares no code with the board, so that the two can be
compared. `after` returns the trade after an act, or None where it must be refused.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
POSTER, PROPOSER, STRANGER, STAFF, TIME = (
    "poster", "proposer", "stranger", "staff", "time",
)  # fmt: skip
PARTIES = (POSTER, PROPOSER)
OTHER = {POSTER: PROPOSER, PROPOSER: POSTER}
TRIES, ROUNDS = 5, 3
TWO_WEEKS, EXTENSION, MOST_EXTENSIONS = 14 * DAY, 7 * DAY, 2


@dataclass(frozen=True)
class Parcel:
    """One parcel; what has not happened is None."""

    state: str = "not_sent"
    sent_at: datetime | None = None
    came_at: datetime | None = None
    contested_at: datetime | None = None
    withheld_at: datetime | None = None
    differs: bool = False
    solved: bool = False

    @property
    def marked_at(self) -> datetime | None:
        """Return when its sender last said something about it."""
        return self.contested_at or self.withheld_at

    def acted_after(self, moment: datetime) -> bool:
        """Tell whether its sender did something with it after a moment."""
        acts = (self.sent_at, self.withheld_at, self.contested_at)
        return any(at is not None and at > moment for at in acts)


@dataclass(frozen=True)
class Model:
    """A trade, from the first offer to its end."""

    state: str = "negotiating"
    turn: str | None = POSTER
    version: int = 1
    version_by: str = PROPOSER
    limit: datetime | None = None  # of the answer, the call or the first dispatch
    due_at: datetime | None = None
    first_at: datetime | None = None
    confirmed_at: datetime | None = None
    extensions: int = 0
    sealed: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()
    revealed: bool = False
    round: int = 0
    tries: int = 0
    closed: bool = False
    parcels: dict[str, Parcel] = field(
        default_factory=lambda: {POSTER: Parcel(), PROPOSER: Parcel()}
    )
    proposals: dict[str, tuple[str, datetime]] = field(default_factory=dict)

    def is_before(self, limit: datetime | None, now: datetime) -> bool:
        """Tell whether there is no such limit, or time is left."""
        return limit is None or now < limit

    def is_running(self, now: datetime) -> bool:
        """Tell whether the clock of the parcels runs and has time left."""
        return self.state == "shipped" and self.due_at is not None and now < self.due_at

    def with_parcel(self, who: str, **changes) -> "Model":
        """Return the trade with one parcel changed."""
        parcel = replace(self.parcels[who], **changes)
        return replace(self, parcels=self.parcels | {who: parcel})

    def ended(self, state: str) -> "Model":
        """Return the trade when it is over."""
        return replace(self, state=state, turn=None, limit=None, proposals={})


Act = Callable[[Model, str, datetime], Model | None]
ACTS: dict[str, Act] = {}


def begun(now: datetime) -> Model:
    """Return a trade that was proposed at a moment."""
    return Model(limit=now + 3 * DAY)


def after(model: Model, who: str, event: str, now: datetime) -> Model | None:
    """Return the trade after an act, or None if it must be refused."""
    return ACTS[event](model, who, now)


def allowed(model: Model, now: datetime) -> list[tuple[str, str]]:
    """Return everything that somebody may do now."""
    people = (POSTER, PROPOSER, STAFF, TIME)
    return [
        (who, event)
        for event in ACTS
        for who in people
        if after(model, who, event, now) is not None
    ]


def act(*who: str):
    """Register an act, which only these may do at all."""

    def register(verb: Act) -> Act:
        name = verb.__name__.replace("_", " ")
        ACTS[name] = lambda model, by, now: verb(model, by, now) if by in who else None
        return verb

    return register


def _talks(model: Model, who: str, now: datetime) -> bool:
    in_time = model.is_before(model.limit, now)
    return model.state == "negotiating" and in_time and model.turn == who


@act(*PARTIES)
def counter(model, who, now):
    """Answer the newest version with another."""
    if not _talks(model, who, now):
        return None
    return replace(
        model,
        version=model.version + 1,
        version_by=who,
        turn=OTHER[who],
        limit=now + 3 * DAY,
    )


@act(*PARTIES)
def answer_an_old_version(model, who, now):
    """Agree to what is not the newest any more."""
    return


@act(*PARTIES)
def accept(model, who, now):
    """Agree to the newest version, which somebody else wrote."""
    if not _talks(model, who, now) or model.version_by == who:
        return None
    return replace(model, state="agreed", turn=None, limit=now + 7 * DAY)


@act(POSTER)
def edit_listing(model, who, now):
    """Change the listing: it is the proposer's turn again."""
    if model.state != "negotiating":
        return None
    return replace(model, turn=PROPOSER, limit=now + 3 * DAY)


def _leave(model, now, state):
    fits = model.state == "negotiating" and model.is_before(model.limit, now)
    return model.ended(state) if fits else None


@act(POSTER)
def decline(model, who, now):
    """Say no."""
    return _leave(model, now, "declined")


@act(PROPOSER)
def withdraw(model, who, now):
    """Take the offer back."""
    return _leave(model, now, "withdrawn")


@act(TIME)
def lapse(model, who, now):
    """Nobody answered."""
    late = model.state == "negotiating" and not model.is_before(model.limit, now)
    return model.ended("lapsed") if late else None


def _calls(model, now) -> bool:
    return model.state == "agreed" and model.is_before(model.limit, now)


def _new_round(model):
    return replace(model, round=model.round + 1, tries=0, right=frozenset())


@act(*PARTIES)
def seal(model, who, now):
    """Put a number under seal; a new one breaks both seals."""
    if not _calls(model, now):
        return None
    sealed = frozenset() if model.revealed else model.sealed
    model = replace(model, sealed=sealed | {who}, revealed=False)
    if OTHER[who] not in sealed:
        return model
    return _new_round(replace(model, revealed=True))


def _speaks(model, now) -> bool:
    return _calls(model, now) and model.revealed and not model.closed


@act(*PARTIES)
def type_right_words(model, who, now):
    """Type what the partner read aloud; when both did, the call is confirmed."""
    if not _speaks(model, now):
        return None
    right = model.right | {who}
    if len(right) < 2:
        return replace(model, right=right)
    return replace(
        model,
        right=right,
        state="phone_confirmed",
        confirmed_at=now,
        limit=now + 7 * DAY,
    )


@act(*PARTIES)
def type_wrong_words(model, who, now):
    """Type something else."""
    if not _speaks(model, now) or who in model.right:
        return model if _speaks(model, now) else None
    model = replace(model, tries=model.tries + 1)
    if model.tries < TRIES:
        return model
    if model.round >= ROUNDS:
        return replace(model, closed=True)
    return _new_round(model)


@act(STAFF)
def open_round(model, who, now):
    """Let them try once more."""
    if not (_calls(model, now) and model.closed):
        return None
    return _new_round(replace(model, closed=False))


@act(TIME)
def go_quiet(model, who, now):
    """Nobody called, or nobody sent: nobody's fault."""
    waits = model.state in ("agreed", "phone_confirmed")
    late = waits and not model.is_before(model.limit, now)
    return replace(model.ended("cancelled"), due_at=None) if late else None


@act(*PARTIES)
def dispatch(model, who, now):
    """Send the own parcel; the first one starts the clock."""
    if model.state not in ("phone_confirmed", "shipped"):
        return None
    in_time = model.is_before(model.due_at or model.limit, now)
    if not in_time or model.parcels[who].state != "not_sent":
        return None
    model = model.with_parcel(who, state="dispatched", sent_at=now)
    if model.first_at is None:
        model = replace(
            model,
            state="shipped",
            first_at=now,
            due_at=now + TWO_WEEKS,
            limit=None,
            proposals={},
        )
    return model


def _receive(model, who, now, differs):
    theirs = OTHER[who]
    fits = model.state == "shipped" and model.is_before(model.due_at, now)
    if not fits or model.parcels[theirs].state != "dispatched":
        return None
    changes = {"state": "received", "came_at": now, "differs": differs}
    model = model.with_parcel(theirs, **changes, solved=False)
    if any(parcel.state != "received" for parcel in model.parcels.values()):
        return model
    if _unsolved(model):
        return replace(model, due_at=None, proposals={})
    return model.ended("received")


def _unsolved(model):
    return [p for p in model.parcels.values() if p.differs and not p.solved]


@act(*PARTIES)
def receive(model, who, now):
    """Confirm the partner's parcel, as agreed."""
    return _receive(model, who, now, differs=False)


@act(*PARTIES)
def receive_other(model, who, now):
    """Confirm the partner's parcel, which is not as agreed."""
    return _receive(model, who, now, differs=True)


@act(*PARTIES)
def contest(model, who, now):
    """Say that the own parcel was delivered, two days after it left."""
    own = model.parcels[who]
    fits = model.is_running(now) and own.state == "dispatched"
    if not fits or own.contested_at or now < own.sent_at + 2 * DAY:
        return None
    return model.with_parcel(who, contested_at=now)


@act(*PARTIES)
def withhold(model, who, now):
    """Wait for the partner's parcel with the own one."""
    own, other = model.parcels[who], model.parcels[OTHER[who]]
    fits = own.state == "not_sent" and other.state == "dispatched"
    if not (model.is_running(now) and fits) or own.withheld_at:
        return None
    return model.with_parcel(who, withheld_at=now)


def _is_fresh(moment, now) -> bool:
    return moment is not None and now < moment + HOUR


@act(*PARTIES)
def undo_dispatch(model, who, now):
    """Take the own dispatch back, before anybody relied on it."""
    own, other = model.parcels[who], model.parcels[OTHER[who]]
    fits = model.is_running(now) and own.state == "dispatched"
    if not fits or not _is_fresh(own.sent_at, now):
        return None
    if own.contested_at or other.acted_after(own.sent_at):
        return None
    model = model.with_parcel(who, state="not_sent", sent_at=None)
    if other.state != "not_sent":
        return model
    return replace(
        model,
        state="phone_confirmed",
        first_at=None,
        due_at=None,
        extensions=0,
        limit=model.confirmed_at + 7 * DAY,
    )


@act(*PARTIES)
def undo_receipt(model, who, now):
    """Take back that the partner's parcel has come."""
    own, theirs = model.parcels[who], model.parcels[OTHER[who]]
    if model.state != "shipped" or theirs.state != "received":
        return None
    due = model.first_at + TWO_WEEKS + model.extensions * EXTENSION
    if not _is_fresh(theirs.came_at, now) or now >= due - 2 * DAY:
        return None
    if theirs.solved or own.acted_after(theirs.came_at):
        return None
    model = model.with_parcel(
        OTHER[who], state="dispatched", came_at=None, differs=False
    )
    return replace(model, due_at=due)


@act(*PARTIES)
def undo_mark(model, who, now):
    """Take back what was said about the own parcel."""
    own = model.parcels[who]
    if not model.is_running(now) or not _is_fresh(own.marked_at, now):
        return None
    if own.state == "received":
        return None
    return model.with_parcel(who, contested_at=None, withheld_at=None)


@act(*PARTIES, STAFF)
def solve(model, who, now):
    """Say that a difference is settled: its recipient, or staff for the poster's."""
    theirs = POSTER if who == STAFF else OTHER[who]
    parcel = model.parcels[theirs]
    if model.state != "shipped" or not parcel.differs or parcel.solved:
        return None
    model = model.with_parcel(theirs, solved=True)
    came = all(p.state == "received" for p in model.parcels.values())
    return model.ended("received") if came and not _unsolved(model) else model


def _propose(model, who, now, kind, states):
    limit = model.due_at or model.limit
    if model.state not in states or not model.is_before(limit, now):
        return None
    if kind in model.proposals:
        return None
    return replace(model, proposals=model.proposals | {kind: (who, now)})


@act(*PARTIES)
def propose_cancel(model, who, now):
    """Propose to give it up before anything is sent."""
    return _propose(model, who, now, "cancel", ("agreed", "phone_confirmed"))


@act(*PARTIES)
def propose_extend(model, who, now):
    """Propose a week more, at most twice."""
    may = model.due_at is not None and model.extensions < MOST_EXTENSIONS
    return _propose(model, who, now, "extend", ("shipped",)) if may else None


@act(*PARTIES)
def propose_settle(model, who, now):
    """Propose how to end it after something was sent."""
    return _propose(model, who, now, "settle", ("shipped",))


def _agree(model, who, now, kind):
    proposed = model.proposals.get(kind)
    if proposed is None or proposed[0] == who:
        return None
    if not model.is_before(model.due_at, now):
        return None
    return _carried_out(model, kind)


def _carried_out(model, kind):
    rest = {name: p for name, p in model.proposals.items() if name != kind}
    if kind == "extend":
        if model.due_at is None or model.extensions >= MOST_EXTENSIONS:
            return None
        return replace(
            model,
            extensions=model.extensions + 1,
            due_at=model.due_at + EXTENSION,
            proposals=rest,
        )
    fits = {"cancel": ("agreed", "phone_confirmed"), "settle": ("shipped",)}
    if model.state not in fits[kind]:
        return None
    return replace(model.ended("cancelled"), due_at=None)


@act(*PARTIES)
def agree_cancel(model, who, now):
    """Agree to give it up."""
    return _agree(model, who, now, "cancel")


@act(*PARTIES)
def agree_extend(model, who, now):
    """Agree to a week more."""
    return _agree(model, who, now, "extend")


@act(*PARTIES)
def agree_settle(model, who, now):
    """Agree to the proposed end."""
    return _agree(model, who, now, "settle")


def _newest(model):
    return max(model.proposals, key=lambda kind: model.proposals[kind][1], default=None)


@act(*PARTIES)
def decline_proposal(model, who, now):
    """Say no to the newest proposal of the other side."""
    kind = _newest(model)
    if kind is None or model.proposals[kind][0] == who:
        return None
    if not model.is_before(model.due_at, now):
        return None
    rest = {name: p for name, p in model.proposals.items() if name != kind}
    return replace(model, proposals=rest)


@act(*PARTIES)
def take_back(model, who, now):
    """Take the newest own proposal back."""
    kind = _newest(model)
    if kind is None or model.proposals[kind][0] != who:
        return None
    rest = {name: p for name, p in model.proposals.items() if name != kind}
    return replace(model, proposals=rest)


@act(TIME)
def agree_by_silence(model, who, now):
    """Three days without an answer agree to give it up."""
    proposed = model.proposals.get("cancel")
    if proposed is None or now < proposed[1] + 3 * DAY:
        return None
    return _carried_out(model, "cancel")


@act(TIME)
def default(model, who, now):
    """The due instant has passed."""
    late = model.state == "shipped" and not model.is_before(model.due_at, now)
    return model.ended("defaulted") if late and model.due_at is not None else None


@act(*PARTIES)
def dispatch_late(model, who, now):
    """Send after the default."""
    if model.state != "defaulted" or model.parcels[who].state != "not_sent":
        return None
    return model.with_parcel(who, state="dispatched", sent_at=now)


@act(*PARTIES)
def receive_late(model, who, now):
    """Say after the default that it came."""
    theirs = model.parcels[OTHER[who]]
    if model.state != "defaulted" or theirs.state == "received":
        return None
    sent = theirs.sent_at or now
    return model.with_parcel(OTHER[who], state="received", sent_at=sent, came_at=now)
