from dataclasses import replace

import pytest
from sqlalchemy import select

from tests.factories import A_MOMENT, MONDAY, make_account
from tests.races import race
from tests.trades.stages import AGREED_AT, DAY, Stage, items
from tests.worlds import make_listing
from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services.standing import restrict
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed, RuleBroken
from tradeboard.core.messages import message
from tradeboard.core.transaction import transaction
from tradeboard.listings import queries as listings
from tradeboard.listings.rules import ListingState
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades import jobs, queries
from tradeboard.trades.models import Trade
from tradeboard.trades.rules.states import Party, TradeState
from tradeboard.trades.services import negotiation

NOW = MONDAY - 4 * DAY


def mails(template):
    found = select(OutboxMail.to).where(
        OutboxMail.template.endswith(f"/{template}.txt")
    )
    return sorted(db.session.scalars(found))


def copies(listing_id):
    (card, _) = listings.get_listing(listing_id).lines
    return card.free, card.traded


def test_a_proposal_waits_three_days_for_the_poster(write, alice, bob):
    trade = Stage(alice, bob).negotiating(NOW).trade

    assert (trade.state, trade.turn) == (TradeState.NEGOTIATING, Party.POSTER)
    assert trade.answer_by == NOW + 3 * DAY
    assert mails("offer") == [alice.email]


def test_a_counter_is_a_new_version_and_gives_three_more_days(write, alice, bob):
    trade = Stage(alice, bob).countered().trade

    assert (trade.offer_number, trade.turn) == (2, Party.PROPOSER)
    assert [len(offer.lines) for offer in trade.offers] == [2, 2]
    assert mails("offer") == [alice.email, bob.email]


def test_an_acceptance_reserves_the_copies(write, alice, bob):
    stage = Stage(alice, bob).agreed()

    assert copies(stage.listing.id) == (0, 0)
    assert listings.get_listing(stage.listing.id).state is ListingState.RESERVED
    assert stage.trade.call_by == AGREED_AT + 7 * DAY
    assert len(stage.trade.legs) == len(stage.trade.phones) == 2
    assert mails("accepted") == [alice.email, bob.email]


def test_part_of_the_copies_leaves_the_listing_open(write, alice, bob):
    stage = Stage(alice, bob, quantity=3).agreed()

    assert copies(stage.listing.id) == (2, 0)
    assert listings.get_listing(stage.listing.id).state is ListingState.OPEN


def test_an_old_version_cannot_be_accepted_and_the_difference_is_said(
    write, alice, bob
):
    stage = Stage(alice, bob).countered()

    with pytest.raises(Conflict, match="紅蓮の騎士"):
        negotiation.accept(stage.id, 1, by=bob, now=AGREED_AT)


def test_copies_that_went_elsewhere_cannot_be_accepted(write, alice, bob, charlie):
    first, second = Stage(alice, bob).negotiating(), Stage(alice, charlie)
    second.listing = first.listing
    offer = items(first.listing)
    second.id = negotiation.propose(first.listing.id, offer, "", by=charlie, now=NOW).id
    negotiation.accept(first.id, 1, by=alice, now=AGREED_AT)

    with pytest.raises(Conflict):
        negotiation.accept(second.id, 1, by=alice, now=AGREED_AT)


def test_more_than_there_is_cannot_be_asked_for(write, alice, bob):
    listing = make_listing(alice)

    with pytest.raises(RuleBroken, match="残りは1枚"):
        negotiation.propose(listing.id, items(listing, asked=2), "", by=bob, now=NOW)


def test_nobody_trades_with_himself(write, alice):
    listing = make_listing(alice)

    with pytest.raises(NotAllowed):
        negotiation.propose(listing.id, items(listing), "", by=alice, now=NOW)


def test_one_person_negotiates_once_on_a_listing(write, alice, bob):
    stage = Stage(alice, bob).negotiating()

    with pytest.raises(Conflict):
        negotiation.propose(stage.listing.id, items(stage.listing), "", by=bob, now=NOW)


@pytest.mark.parametrize("standing", sorted(set(Standing) - {Standing.GOOD}))
def test_only_good_standing_proposes_counters_and_accepts(write, alice, bob, standing):
    stage = Stage(alice, bob).negotiating()
    alice.standing = standing

    with pytest.raises(NotAllowed):
        negotiation.accept(stage.id, 1, by=alice, now=NOW)
    offer = items(stage.listing, given=2)
    with pytest.raises(NotAllowed):
        negotiation.counter(stage.id, 1, offer, "", by=alice, now=NOW)
    negotiation.decline(stage.id, by=alice, now=NOW)


def test_an_offer_takes_a_confirmed_address_and_agreed_terms(write, alice):
    listing = make_listing(alice)
    for who in (
        make_account("new", confirmed=False),
        make_account("hasty", agreed=False),
    ):
        with pytest.raises(NotAllowed):
            negotiation.propose(listing.id, items(listing), "", by=who, now=NOW)


@pytest.mark.parametrize(
    ("note", "passes"),
    [
        ("bob@example.com へどうぞ", True),
        ("bob+cards@example.com へどうぞ", False),
        ("someone [at] example.org", False),
    ],
)
def test_only_the_own_primary_address_stands_in_a_note(write, alice, bob, note, passes):
    listing = make_listing(alice)

    if passes:
        negotiation.propose(listing.id, items(listing), note, by=bob, now=NOW)
    else:
        with pytest.raises(RuleBroken) as refusal:
            negotiation.propose(listing.id, items(listing), note, by=bob, now=NOW)
        assert refusal.value.field == "note"


def test_an_unanswered_offer_lapses_after_three_days_and_not_before(app, alice, bob):
    stage = Stage(alice, bob)
    listing = make_listing(alice)
    with transaction():
        offer = items(listing)
        stage.id = negotiation.propose(listing.id, offer, "", by=bob, now=NOW).id
    limit = NOW + 3 * DAY

    assert jobs.lapse_offers(limit - A_MOMENT).done == 0
    assert jobs.lapse_offers(limit).done == 1
    assert jobs.lapse_offers(limit + DAY).done == 0
    assert stage.trade.state is TradeState.LAPSED
    assert mails("lapsed") == [alice.email, bob.email]


def test_an_edited_listing_makes_each_open_offer_the_proposers_turn(
    write, alice, bob, charlie
):
    stage = Stage(alice, bob).negotiating()
    said = message("%(name)s を外しました", name="蒼天の竜")

    told = negotiation.listing_changed(
        stage.listing.id, [said], by=alice, now=AGREED_AT
    )
    db.session.flush()

    assert told == 1
    assert stage.trade.turn is Party.PROPOSER
    assert stage.trade.answer_by == AGREED_AT + 3 * DAY
    assert stage.trade.events[-1].facts["changes"][0]["gaps"] == {"name": "蒼天の竜"}


def test_a_set_code_holds_no_address_of_others(write, alice, bob):
    listing = make_listing(alice)
    asked, given = items(listing)
    hidden = replace(given, set_code="x@else.example")

    with pytest.raises(RuleBroken):
        negotiation.propose(listing.id, [asked, hidden], "", by=bob, now=NOW)


def test_an_edited_listing_lets_nobody_agree_with_himself(write, alice, bob):
    stage = Stage(alice, bob).negotiating()
    said = message("%(name)s を外しました", name="蒼天の竜")
    negotiation.listing_changed(stage.listing.id, [said], by=alice, now=AGREED_AT)

    with pytest.raises(Conflict):
        negotiation.accept(stage.id, 1, by=bob, now=AGREED_AT)
    again = items(stage.listing)
    negotiation.counter(stage.id, 1, again, "", by=bob, now=AGREED_AT)
    negotiation.accept(stage.id, 2, by=alice, now=AGREED_AT)

    assert stage.trade.state is TradeState.AGREED


def test_cards_that_left_the_listing_are_not_agreed_on(write, alice, bob):
    stage = Stage(alice, bob).negotiating()
    offered = queries.newest_offer(stage.trade).lines
    next(line for line in offered if line.giver is Party.POSTER).line_id = None
    db.session.flush()

    with pytest.raises(Conflict):
        negotiation.accept(stage.id, 1, by=alice, now=AGREED_AT)

    assert stage.trade.agreed_at is None


def test_two_offers_by_one_person_at_once_make_one_trade(app, alice, bob):
    listing = make_listing(alice)
    offer, listing_id, bob_id = items(listing), listing.id, bob.id

    def propose():
        by = db.session.get_one(Account, bob_id)
        negotiation.propose(listing_id, offer, "", by=by, now=NOW)

    assert sorted(race(app, propose, propose)) == ["Conflict", "done"]
    assert len(db.session.scalars(select(Trade)).all()) == 1


def test_two_acceptances_of_the_last_copy_at_once_let_one_win(app, alice, bob, charlie):
    listing = make_listing(alice)
    with transaction():
        ids = [
            negotiation.propose(listing.id, items(listing), "", by=person, now=NOW).id
            for person in (bob, charlie)
        ]

    def accept(trade_id):
        owner = queries.get_trade(trade_id).poster
        negotiation.accept(trade_id, 1, by=owner, now=AGREED_AT)

    outcomes = race(app, *[lambda i=i: accept(i) for i in ids])

    assert sorted(outcomes) == ["Conflict", "done"]
    states = sorted(db.session.scalars(select(Trade.state)))
    assert states == [TradeState.AGREED, TradeState.NEGOTIATING]
    assert copies(listing.id) == (0, 0)


@pytest.mark.parametrize(
    ("standing", "outcome"),
    [("listed", Conflict), ("suspended", Conflict), ("held", None)],
)
def test_nobody_agrees_with_whoever_was_barred_meanwhile(
    write, alice, bob, standing, outcome
):
    stage = Stage(alice, bob).negotiating(NOW)
    restrict(bob.id, "entry:9", Standing(standing), now=NOW)

    def accept():
        negotiation.accept(stage.trade.id, 1, by=alice, now=AGREED_AT)

    if outcome is None:
        accept()
        assert stage.trade.state is TradeState.AGREED
    else:
        with pytest.raises(outcome):
            accept()
