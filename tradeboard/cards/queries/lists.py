"""The two lists of one member."""

from collections.abc import Collection, Sequence

from sqlalchemy import func, literal, or_, select, tuple_

from tradeboard.accounts.models import Account
from tradeboard.cards.models import Card
from tradeboard.cards.rules import limits
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core import folding, paging
from tradeboard.core.db import db
from tradeboard.core.errors import NotFound

PAGE_SIZE = 50


def keys_of(account_id: int, side: CardSide) -> list[str]:
    """Return the keys of the cards on one list, each once, no more than it may hold."""
    found = (
        select(Card.key)
        .where(Card.account_id == account_id, Card.side == side)
        .distinct()
        .order_by(Card.key)
        .limit(limits.MOST_LINES)
    )
    return list(db.session.scalars(found))


def cards_page(
    account_id: int,
    side: CardSide,
    terms: Sequence[str] = (),
    after: paging.Cursor | None = None,
    size: int = PAGE_SIZE,
) -> paging.Page[Card]:
    """Return the cards of a list that fit, newest first, and where the next begin."""
    found = _fitting(select(Card), account_id, side, terms)
    if after is not None:
        found = found.where(
            tuple_(Card.added_at, Card.id)
            < tuple_(literal(after.at, Card.added_at.type), after.id)
        )
    found = found.order_by(Card.added_at.desc(), Card.id.desc()).limit(size + 1)
    return paging.page(db.session.scalars(found).all(), size, "added_at")


def counts(
    account_id: int, side: CardSide, terms: Sequence[str] = ()
) -> tuple[int, int]:
    """Return how many lines of a list fit, and how many copies they are."""
    counted = select(func.count(), func.coalesce(func.sum(Card.quantity), 0))
    row = db.session.execute(_fitting(counted, account_id, side, terms)).one()
    return row[0], int(row[1])


def lines_of_both(account_id: int) -> dict[CardSide, int]:
    """Return how many lines each list has."""
    found = (
        select(Card.side, func.count())
        .where(Card.account_id == account_id)
        .group_by(Card.side)
    )
    counted = {side: lines for side, lines in db.session.execute(found)}
    return {side: counted.get(side, 0) for side in CardSide}


def whole_list(account_id: int, side: CardSide) -> Sequence[Card]:
    """Return a list from its top to its end; it is no longer than the limit."""
    found = (
        select(Card)
        .where(Card.account_id == account_id, Card.side == side)
        .order_by(Card.added_at.desc(), Card.id.desc())
    )
    return db.session.scalars(found).all()


def get_own(account_id: int, card_id: int) -> Card:
    """Return a card of this member's lists, or raise NotFound."""
    card = db.session.get(Card, card_id)
    if card is None or card.account_id != account_id:
        raise NotFound("このカードは、一覧にありません。")
    return card


def known_names(account_id: int, codes: Collection[str]) -> dict[str, str]:
    """Return what the member calls cards that are known by their set code."""
    if not codes:
        return {}
    found = (
        select(Card.set_code, Card.name)
        .where(Card.account_id == account_id, Card.set_code != "")
        .order_by(Card.id)
    )
    return {
        code: name
        for code, name in db.session.execute(found)
        if code in codes and name != code
    }


def lock(account_id: int) -> None:
    """Let one change of a member's lists wait for the other."""
    db.session.execute(
        select(Account.id).where(Account.id == account_id).with_for_update()
    )


def line_of(card: Card) -> CardLine:
    """Return a row as the rules know it."""
    return CardLine(
        name=card.name,
        quantity=card.quantity,
        set_code=card.set_code,
        rarity=card.rarity,
        language=card.language,
        condition=card.condition,
        game=card.game,
    )


def _fitting(found, account_id: int, side: CardSide, terms: Sequence[str]):
    found = found.where(Card.account_id == account_id, Card.side == side)
    for term in terms:
        pattern = folding.like(term)
        in_code = func.lower(Card.set_code).like(pattern, escape="\\")
        found = found.where(or_(Card.key.like(pattern, escape="\\"), in_code))
    return found
