"""What a version guards is read no earlier than the version itself."""

from tests.trades.stages import MONDAY, Stage
from tradeboard.core.db import db
from tradeboard.trades import queries


def test_a_parcel_is_read_together_with_its_trade(alice, bob, committed, statements):
    leg_id = committed(lambda: Stage(alice, bob).phone_confirmed().leg(alice))
    held = queries.get_leg(leg_id)  # as a page does before it changes anything
    db.session.rollback()

    with statements() as seen:
        leg = queries.get_leg(leg_id)
        assert (leg.trade.state, leg.state) == ("phone_confirmed", "not_sent")

    assert leg is held
    assert len(seen) == 1


def test_a_proposal_is_read_together_with_its_trade(alice, bob, committed, statements):
    def propose():
        return Stage(alice, bob).phone_confirmed().propose("cancel", alice, MONDAY)

    held = queries.get_proposal_of(alice.id, proposal_id := committed(propose))
    account_id = alice.id
    db.session.rollback()

    with statements() as seen:
        proposal = queries.get_proposal_of(account_id, proposal_id)
        assert (proposal.trade.state, proposal.answer) == ("phone_confirmed", None)

    assert proposal is held
    assert len(seen) == 1
