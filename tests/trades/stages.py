"""Bring a trade to each stage of its life through the services, step by step."""

from datetime import timedelta

from tests.factories import MONDAY
from tests.worlds import make_listing
from tradeboard.core.db import db
from tradeboard.listings import queries as listings
from tradeboard.listings.rules import Side
from tradeboard.trades import queries
from tradeboard.trades.rules.offers import Item
from tradeboard.trades.rules.states import Condition, Party, ProposalKind
from tradeboard.trades.services import (
    closing,
    marks,
    negotiation,
    overdue,
    phone,
    proposals,
    shipping,
)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NUMBERS = {"alice": "090-3123-4567", "bob": "080-3123-4567"}
ADDRESS = "東京都千代田区一丁目一番 山田"
YAMATO = {"carrier": "yamato", "tracking": "4444-1375-8703"}
UNTRACKED = {"carrier": "none", "tracking": ""}

# When each stage is looked at; the first dispatch is on Monday.
AGREED_AT = MONDAY - 3 * DAY
CALLED_AT = MONDAY - 2 * DAY
DUE = MONDAY + 14 * DAY


def items(listing, *, asked=1, given=1):
    """Return an offer: copies of the listing's card against another card."""
    lines = listings.get_listing(listing.id).lines
    card = next(line for line in lines if line.side is Side.HAVE)
    return [
        Item(Party.POSTER, card.name, asked, line_id=card.id, condition="A"),
        Item(Party.PROPOSER, "紅蓮の騎士", given, condition="A"),
    ]


class Stage:
    """A trade between alice, who posted, and bob, who proposed."""

    def __init__(self, alice, bob, quantity=1):
        self.alice, self.bob = alice, bob
        self.quantity = quantity
        self.listing = None
        self.id = None

    @property
    def trade(self):
        """Return the trade as it is now."""
        return queries.get_trade(self.id)

    def leg(self, sender):
        """Return the id of the parcel that somebody sends."""
        return self.trade.leg_from(sender.id).id

    def negotiating(self, now=MONDAY - 4 * DAY):
        """Bob proposed; it is Alice's turn."""
        self.listing = make_listing(self.alice, quantity=self.quantity)
        self.id = negotiation.propose(
            self.listing.id, items(self.listing), "", by=self.bob, now=now
        ).id
        return self

    def countered(self):
        """Alice countered; it is Bob's turn, on version 2."""
        self.negotiating()
        offer = items(self.listing, given=2)
        now = MONDAY - 4 * DAY
        negotiation.counter(self.id, 1, offer, "", by=self.alice, now=now)
        return self

    def agreed(self):
        """Alice accepted; nobody sealed yet."""
        self.negotiating()
        negotiation.accept(self.id, 1, by=self.alice, now=AGREED_AT)
        return self

    def seal(self, person, now=AGREED_AT + HOUR):
        """Let somebody seal number and address."""
        number = NUMBERS[person.handle]
        phone.seal(self.id, number, "JP", ADDRESS, by=person, now=now)

    def one_sealed(self):
        """Alice sealed, Bob did not."""
        self.agreed()
        self.seal(self.alice)
        return self

    def revealed(self):
        """Both sealed; each sees the other's number and the own words."""
        self.one_sealed()
        self.seal(self.bob)
        return self

    def words_for(self, person):
        """Return what a person hears from the partner on the call."""
        partner = self.trade.partner_of(person.id)
        return " ".join(phone.words_of(self.trade, partner.id))

    def type_words(self, person, typed=None, now=CALLED_AT):
        """Let somebody type words, by default the right ones."""
        typed = self.words_for(person) if typed is None else typed
        return phone.try_words(self.id, typed, called=False, by=person, now=now)

    def closed_call(self):
        """Three rounds of wrong words: the step waits for a moderator."""
        self.revealed()
        for _ in range(15):
            self.type_words(self.bob, "ちがう ことば")
        return self

    def phone_confirmed(self):
        """Both typed the right words."""
        self.revealed()
        self.type_words(self.alice)
        self.type_words(self.bob)
        return self

    def send(self, person, now=MONDAY, way=None):
        """Let somebody dispatch."""
        shipping.dispatch(self.leg(person), by=person, now=now, **(way or YAMATO))

    def receive(self, person, now=MONDAY + 3 * DAY, differs=""):
        """Let somebody confirm the partner's parcel."""
        partner = self.trade.partner_of(person.id)
        shipping.confirm_receipt(
            self.leg(partner),
            arrived_on=queries.day_in_japan(now),
            condition=Condition.DIFFERS if differs else Condition.AS_AGREED,
            words=differs,
            by=person,
            now=now,
        )

    def shipped(self, way=None):
        """Alice dispatched on Monday; Bob did not."""
        self.phone_confirmed()
        self.send(self.alice, way=way)
        return self

    def both_shipped(self, way=None):
        """Both dispatched, Bob a day later."""
        self.shipped(way)
        self.send(self.bob, MONDAY + DAY, way)
        return self

    def one_received(self):
        """Both dispatched; Bob confirmed Alice's parcel."""
        self.both_shipped()
        self.receive(self.bob)
        return self

    def differing(self):
        """Both came, but Alice's was not as agreed: no clock runs."""
        self.both_shipped()
        self.receive(self.bob, differs="角に折れがあります")
        self.receive(self.alice)
        return self

    def received(self):
        """Everything came as agreed."""
        self.one_received()
        self.receive(self.alice)
        return self

    def defaulted(self):
        """Bob never sent; the due instant passed."""
        self.shipped()
        overdue.default(self.id, now=DUE)
        return self

    def cancelled(self):
        """Nobody called for seven days."""
        self.agreed()
        closing.cancel_quiet(self.id, now=AGREED_AT + 7 * DAY)
        return self

    def declined(self):
        """Alice said no."""
        self.negotiating()
        negotiation.decline(self.id, by=self.alice, now=AGREED_AT)
        return self

    def withdrawn(self):
        """Bob took it back."""
        self.negotiating()
        negotiation.withdraw(self.id, by=self.bob, now=AGREED_AT)
        return self

    def lapsed(self):
        """Alice did not answer for three days."""
        self.negotiating()
        negotiation.lapse(self.id, now=MONDAY - DAY)
        return self

    def propose(self, kind, person, now, words=""):
        """Let somebody propose to extend, cancel or settle."""
        return proposals.propose(
            self.id, ProposalKind(kind), words, by=person, now=now
        ).id


def events(stage, person, now):
    """Return everything a person could try on a trade, by name."""
    trade = stage.trade
    is_party = person.id in (trade.poster_id, trade.proposer_id)
    own, theirs = _legs(trade, person, is_party)
    today = queries.day_in_japan(now)

    def extend():
        stage.propose("extend", person, now)

    return {
        "counter": lambda: negotiation.counter(
            trade.id,
            trade.offer_number,
            items(stage.listing, given=3),
            "",
            by=person,
            now=now,
        ),
        "accept": lambda: negotiation.accept(
            trade.id, trade.offer_number, by=person, now=now
        ),
        "decline": lambda: negotiation.decline(trade.id, by=person, now=now),
        "withdraw": lambda: negotiation.withdraw(trade.id, by=person, now=now),
        "seal": lambda: phone.seal(
            trade.id, "070-3123-4567", "JP", ADDRESS, by=person, now=now
        ),
        "try words": lambda: phone.try_words(
            trade.id, "ちがう ことば", called=False, by=person, now=now
        ),
        "open round": lambda: phone.open_round(trade.id, by=person, now=now),
        "dispatch": lambda: shipping.dispatch(own, by=person, now=now, **YAMATO),
        "receive": lambda: shipping.confirm_receipt(
            theirs,
            arrived_on=today,
            condition=Condition.AS_AGREED,
            words="",
            by=person,
            now=now,
        ),
        "contest": lambda: marks.contest(own, delivered_on=today, by=person, now=now),
        "withhold": lambda: marks.withhold(own, by=person, now=now),
        "solve": lambda: shipping.solve(theirs, by=person, now=now),
        "extend": extend,
        "cancel": lambda: stage.propose("cancel", person, now),
        "settle": lambda: stage.propose("settle", person, now, "送り返します"),
        "dispatch late": lambda: overdue.dispatch_late(
            own, by=person, now=now, **YAMATO
        ),
        "receive late": lambda: overdue.confirm_late(
            theirs, arrived_at=now - HOUR, by=person, now=now
        ),
    }


def _legs(trade, person, is_party):
    """Return the parcels that a person acts on; an outsider tries the poster's."""
    if not trade.legs:
        return 0, 0
    if not is_party:
        return trade.legs[0].id, trade.legs[0].id
    partner = trade.partner_of(person.id)
    return trade.leg_from(person.id).id, trade.leg_from(partner.id).id


def try_all(stage, person, now):
    """Return the events that somebody is allowed now; none of them stays done."""
    from tradeboard.core.errors import Refusal

    allowed = set()
    names = list(events(stage, person, now))
    for name in names:
        savepoint = db.session.begin_nested()
        try:
            events(stage, person, now)[name]()
            db.session.flush()
            allowed.add(name)
        except Refusal:
            pass
        savepoint.rollback()
        db.session.expire_all()
    return allowed
