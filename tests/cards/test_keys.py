"""The keys of a list, as the board's filter asks for them."""

from tests.factories import MONDAY, in_transaction
from tradeboard.cards import queries
from tradeboard.cards.models import Card
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core.db import db


def test_the_keys_of_a_list_come_once_each_and_from_that_list_alone(alice, bob):
    def card(owner, side, key, condition=""):
        return Card(
            account_id=owner.id,
            side=side,
            key=key,
            name=key,
            quantity=1,
            condition=condition,
            added_at=MONDAY,
        )

    with in_transaction():
        db.session.add_all(
            [
                card(alice, CardSide.HAVE, "りゅう", "A"),
                card(alice, CardSide.HAVE, "りゅう", "B"),
                card(alice, CardSide.WANT, "とら"),
                card(bob, CardSide.HAVE, "うさぎ"),
            ]
        )

    assert queries.keys_of(alice.id, CardSide.HAVE) == ["りゅう"]
    assert queries.keys_of(alice.id, CardSide.WANT) == ["とら"]
    assert queries.keys_of(bob.id, CardSide.WANT) == []
