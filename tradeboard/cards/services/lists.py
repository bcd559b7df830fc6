"""Put cards on a list, change them, take them off, and take that back."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from tradeboard.accounts.models import Account
from tradeboard.accounts.queries import mailboxes
from tradeboard.cards import queries
from tradeboard.cards.models import Card
from tradeboard.cards.rules import lines, merging
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.merging import Merged, Mode
from tradeboard.cards.rules.sides import CardSide
from tradeboard.core import drafts
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.core.records import dataclass

# What a draft of this kind keeps is what the last change took away.
TAKEN = "cards-taken"
# And of this kind what was pasted last, until it stands on the list.
PASTED = "cards-pasted"
NUMBERS = {CardSide.HAVE: 1, CardSide.WANT: 2}


@dataclass(frozen=True)
class Imported:
    """How many lines of a list came, changed, and left."""

    added: int
    changed: int
    dropped: int


def add(side: CardSide, card: CardLine, *, by: Account, now: datetime) -> None:
    """Put one card on a list; copies of one that stands there are added to it."""
    import_cards(side, [card], Mode.SUM, by=by, now=now)


def import_cards(
    side: CardSide,
    cards: Sequence[CardLine],
    mode: Mode,
    *,
    by: Account,
    now: datetime,
) -> Imported:
    """Put cards on a list; what leaves it can be taken back."""
    for card in cards:
        lines.checked(card)
    _refuse_foreign_addresses(cards, by)
    queries.lock(by.id)
    rows = {
        queries.line_of(row).identity: row for row in queries.whole_list(by.id, side)
    }
    standing = {identity: queries.line_of(row) for identity, row in rows.items()}
    merged = merging.merge(standing, cards, mode)
    if mode is Mode.WHOLE and (merged.changed or merged.dropped):
        _keep_taken(side, standing.values(), Mode.WHOLE, by=by, now=now)
    _write(side, rows, merged, by=by, now=now)
    return Imported(len(merged.added), len(merged.changed), len(merged.dropped))


def change(card_id: int, card: CardLine, *, by: Account, now: datetime) -> Card:
    """Write a line anew; if it becomes the same card as another, they are one."""
    lines.checked(card)
    _refuse_foreign_addresses([card], by)
    queries.lock(by.id)
    row = queries.get_own(by.id, card_id)
    for other in queries.whole_list(by.id, row.side):
        line = queries.line_of(other)
        if other.id != row.id and line.identity == card.identity:
            merged = merging.merge({line.identity: line}, [card], Mode.SUM)
            _set(other, merged.changed[0])
            db.session.delete(row)
            return other
    _set(row, card)
    return row


def remove(card_id: int, *, by: Account, now: datetime) -> Card:
    """Take a card off its list; the last one can be taken back."""
    queries.lock(by.id)
    row = queries.get_own(by.id, card_id)
    _keep_taken(row.side, [queries.line_of(row)], Mode.SUM, by=by, now=now)
    db.session.delete(row)
    return row


def undo(side: CardSide, *, by: Account, now: datetime) -> None:
    """Bring back what the last change of a list took away."""
    taken = drafts.find(by.id, TAKEN, NUMBERS[side])
    if taken is None:
        raise Conflict("元に戻せるものがありません。")
    cards = [CardLine(**card) for card in taken["cards"]]
    import_cards(side, cards, Mode(taken["mode"]), by=by, now=now)
    drafts.drop(by.id, TAKEN, NUMBERS[side])


def _keep_taken(
    side: CardSide, cards: Iterable[CardLine], mode: Mode, *, by: Account, now: datetime
) -> None:
    fields: dict[str, Any] = {"mode": mode.value, "cards": [asdict(c) for c in cards]}
    drafts.keep(by.id, TAKEN, NUMBERS[side], fields, now=now)


def _write(
    side: CardSide, rows: dict, merged: Merged, *, by: Account, now: datetime
) -> None:
    for card in merged.dropped:
        db.session.delete(rows[card.identity])
    for card in merged.changed:
        _set(rows[card.identity], card)
    # Lists show the newest first: the last line goes in first.
    for card in reversed(merged.added):
        row = Card(account_id=by.id, side=side, added_at=now)
        _set(row, card)
        db.session.add(row)
    db.session.flush()


def _set(row: Card, card: CardLine) -> None:
    row.key = card.key
    for name, value in asdict(card).items():
        setattr(row, name, value)


def _refuse_foreign_addresses(cards: Sequence[CardLine], by: Account) -> None:
    """Refuse every address but the writer's own main one, naming it (B-01)."""
    said = (" ".join((c.name, c.set_code, c.rarity, c.game)) for c in cards)
    for address in mailboxes.foreign_addresses("\n".join(said), by):
        raise RuleBroken(
            "「%(address)s」は登録した本アドレスではないので書けません。"
            "本アドレスだけにするか、消してください。",
            field="name",
            address=address,
        )
