"""One trade between two people, told step by step; each step says when it was."""

from datetime import datetime, timedelta

from tradeboard.accounts.models import Account
from tradeboard.blacklist.services import sweeping
from tradeboard.demo.board import POSTS, Cards, line_of
from tradeboard.demo.cards import CARDS, PARCEL
from tradeboard.demo.people import BY_HANDLE, address_of, number_of
from tradeboard.demo.scene import Scene
from tradeboard.trades import queries
from tradeboard.trades.models import Trade
from tradeboard.trades.photos import Stored
from tradeboard.trades.rules import clock
from tradeboard.trades.rules.offers import Item
from tradeboard.trades.rules.states import (
    Condition,
    Party,
    ProposalKind,
    TradeState,
)
from tradeboard.trades.services import (
    marks,
    messages,
    negotiation,
    phone,
    proofs,
    proposals,
    reminders,
    shipping,
)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
CARRIERS = ("japanpost", "yamato", "sagawa")
OWNERS = {post.key: post for post in POSTS}


class Deal:
    """A trade on the listing `key`; `asked` is what of it, `given` what for it."""

    def __init__(
        self,
        scene: Scene,
        key: str,
        proposer: str,
        given: Cards,
        asked: Cards | None = None,
    ):
        self.scene, self.key = scene, key
        self.poster, self.proposer = OWNERS[key].owner, proposer
        self.given = given
        self.asked = asked or dict.fromkeys(list(OWNERS[key].have)[:1], 1)
        self.id = 0

    @property
    def trade(self) -> Trade:
        """Return the trade as it is at this moment of the play."""
        return queries.get_trade(self.id)

    def other(self, handle: str) -> str:
        """Return the partner."""
        return self.proposer if handle == self.poster else self.poster

    def offered(self, at: datetime, note: str = "") -> None:
        """Let the proposer open it."""

        def propose(by: Account, now: datetime) -> None:
            items = self._items(self.asked, self.given)
            listing = self.scene.listings[self.key]
            self.id = negotiation.propose(listing, items, note, by=by, now=now).id

        self.scene.let(self.proposer, at, propose)

    def countered(
        self,
        handle: str,
        at: datetime,
        *,
        given: Cards | None = None,
        asked: Cards | None = None,
        note: str = "",
    ) -> None:
        """Let somebody answer with another version."""
        self.given, self.asked = given or self.given, asked or self.asked
        both = self.asked, self.given

        def counter(by: Account, now: datetime) -> None:
            number, items = self.trade.offer_number, self._items(*both)
            negotiation.counter(self.id, number, items, note, by=by, now=now)

        self.scene.let(handle, at, counter)

    def accepted(self, handle: str, at: datetime) -> None:
        """Let somebody agree to the newest version."""

        def accept(by: Account, now: datetime) -> None:
            negotiation.accept(self.id, self.trade.offer_number, by=by, now=now)

        self.scene.let(handle, at, accept)

    def sealed(self, handle: str, at: datetime) -> None:
        """Let somebody seal number and address."""
        number, address = number_of(handle), address_of(handle)
        self.scene.let(
            handle,
            at,
            lambda by, now: phone.seal(self.id, number, "JP", address, by=by, now=now),
        )

    def typed(self, handle: str, at: datetime, words: str = "") -> None:
        """Let somebody type the words heard on the call, or others."""

        def try_words(by: Account, now: datetime) -> None:
            partner = self.trade.partner_of(by.id)
            heard = " ".join(phone.words_of(self.trade, partner.id))
            called = handle == self.proposer
            phone.try_words(self.id, words or heard, called=called, by=by, now=now)

        self.scene.let(handle, at, try_words)

    def agreed(self, at: datetime) -> None:
        """Offer half a day before, accept now."""
        self.offered(at - DAY / 2)
        self.accepted(self.poster, at)

    def called(self, at: datetime) -> None:
        """Agree and seal in the day before, and talk now."""
        self.agreed(at - DAY)
        self.sealed(self.poster, at - DAY / 2)
        self.sealed(self.proposer, at - DAY / 4)
        self.typed(self.poster, at - timedelta(minutes=1))
        self.typed(self.proposer, at)

    def sent(
        self, handle: str, at: datetime, *, tracked: bool = True, photo: bool = False
    ) -> None:
        """Let somebody dispatch, by a carrier of those that there are."""

        def dispatch(by: Account, now: datetime) -> None:
            leg = self.trade.leg_from(by.id)
            carrier = CARRIERS[leg.id % len(CARRIERS)] if tracked else "none"
            number = tracking(leg.id) if tracked else ""
            shipping.dispatch(leg.id, carrier=carrier, tracking=number, by=by, now=now)
            proofs.add(leg.id, self._pictures(photo), "dispatch", by=by, now=now)

        self.scene.let(handle, at, dispatch)

    def first_sent(self, handle: str, at: datetime, **how: bool) -> None:
        """Let somebody dispatch a day after the call; the two weeks begin."""
        self.called(at - DAY)
        self.sent(handle, at, **how)
        self.reminded(at + clock.TWO_WEEKS)

    def reminded(self, due: datetime) -> None:
        """Let the clock tell of a due instant, as far as it has come."""

        def remind(now: datetime) -> None:
            if self.trade.state is TradeState.SHIPPED:
                reminders.remind(self.id, now=now)

        for at in [due - before for before in clock.NOTICES]:
            if at <= self.scene.now:
                self.scene.diary.on(at, remind)

    def arrived(
        self, handle: str, at: datetime, *, days_ago: int = 0, differs: str = ""
    ) -> None:
        """Let somebody confirm the partner's parcel; `differs` says how it is wrong."""

        def receive(by: Account, now: datetime) -> None:
            leg = self.trade.leg_from(self.trade.partner_of(by.id).id)
            shipping.confirm_receipt(
                leg.id,
                arrived_on=queries.day_in_japan(now - days_ago * DAY),
                condition=Condition.DIFFERS if differs else Condition.AS_AGREED,
                words=differs,
                by=by,
                now=now,
            )

        self.scene.let(handle, at, receive)

    def contested(self, handle: str, at: datetime, delivered: datetime) -> None:
        """Let a sender say that the parcel was delivered."""
        self.scene.let(
            handle,
            at,
            lambda by, now: marks.contest(
                self.trade.leg_from(by.id).id,
                delivered_on=queries.day_in_japan(delivered),
                by=by,
                now=now,
            ),
        )

    def withheld(self, handle: str, at: datetime) -> None:
        """Let a sender hold back."""
        self.scene.let(
            handle,
            at,
            lambda by, now: marks.withhold(
                self.trade.leg_from(by.id).id, by=by, now=now
            ),
        )

    def proposed(
        self, handle: str, kind: ProposalKind, at: datetime, words: str = ""
    ) -> None:
        """Let somebody propose to extend, cancel or settle."""
        self.scene.let(
            handle,
            at,
            lambda by, now: proposals.propose(self.id, kind, words, by=by, now=now),
        )

    def consented(self, handle: str, kind: ProposalKind, at: datetime) -> None:
        """Let somebody agree to what the partner proposed."""

        def answer(by: Account, now: datetime) -> None:
            proposal = queries.open_proposal(self.trade, kind)
            assert proposal is not None
            proposals.answer(proposal.id, agree=True, by=by, now=now)

        self.scene.let(handle, at, answer)

    def said(
        self, handle: str, at: datetime, text: str, *, photo: bool = False
    ) -> None:
        """Let somebody read what the partner wrote, and answer."""

        def say(by: Account, now: datetime) -> None:
            stored = self._pictures(photo)
            self._read(by, now)
            messages.say(self.id, text, stored, by=by, now=now)

        self.scene.let(handle, at, say)

    def phrased(self, handle: str, at: datetime, code: str) -> None:
        """Let somebody send a ready sentence."""

        def say(by: Account, now: datetime) -> None:
            self._read(by, now)
            messages.say_phrase(self.id, code, by=by, now=now)

        self.scene.let(handle, at, say)

    def _pictures(self, wanted: bool) -> list[Stored]:
        there = wanted and PARCEL in self.scene.pictures
        return [self.scene.pictures.for_parcel(PARCEL)] if there else []

    def _read(self, by: Account, now: datetime) -> None:
        for last in queries.messages_of(self.id, limit=1):
            messages.read(self.id, last.id, by=by, now=now)

    def fell_due(self, at: datetime) -> None:
        """Let the job find it at its due instant."""
        self.scene.diary.on(at, lambda now: sweeping.list_or_hold(self.id, now=now))

    def _items(self, asked: Cards, given: Cards) -> list[Item]:
        return self._from_listing(asked) + self._from_proposer(given)

    def _from_listing(self, asked: Cards) -> list[Item]:
        listing, language = self.scene.listings[self.key], _language(self.poster)
        lines = [line_of(listing, CARDS[key].name(language)) for key in asked]
        return [
            Item(
                Party.POSTER,
                line.name,
                quantity,
                line_id=line.id,
                set_code=line.set_code,
                condition=line.condition,
                language=line.language,
            )
            for line, quantity in zip(lines, asked.values(), strict=True)
        ]

    def _from_proposer(self, given: Cards) -> list[Item]:
        language = _language(self.proposer)
        return [
            Item(
                Party.PROPOSER,
                CARDS[key].name(language),
                quantity,
                set_code=CARDS[key].set_code,
                condition="A",
                language=language,
            )
            for key, quantity in given.items()
        ]


def _language(handle: str) -> str:
    return BY_HANDLE[handle].language


def tracking(n: int) -> str:
    """Return an invented number of twelve digits whose check digit is right."""
    body = 40_070_000_000 + n * 1_009
    return f"{body}{body % 7}"
