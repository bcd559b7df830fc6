"""Give members lists of cards; pass what the test is about."""

from tests.factories import MONDAY, in_transaction
from tradeboard.cards import services
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.merging import Mode
from tradeboard.cards.rules.sides import CardSide


def put(owner, *, have=(), want=(), now=MONDAY):
    """Put cards on both lists: names, or lines."""
    with in_transaction():
        for side, cards in ((CardSide.HAVE, have), (CardSide.WANT, want)):
            lines = [CardLine(c) if isinstance(c, str) else c for c in cards]
            services.import_cards(side, lines, Mode.SUM, by=owner, now=now)


def do(verb, *args, **kwargs):
    """Let one thing happen in a transaction of its own."""
    with in_transaction():
        return verb(*args, **kwargs)
