"""What becomes of a list when cards are put on it."""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from enum import StrEnum

from tradeboard.cards.rules import limits
from tradeboard.cards.rules.lines import CardLine, Identity
from tradeboard.cards.rules.reading import summed
from tradeboard.core.errors import RuleBroken
from tradeboard.core.records import dataclass


class Mode(StrEnum):
    """How cards meet those that stand on the list already."""

    SET = "set"
    SUM = "sum"
    WHOLE = "whole"


@dataclass(frozen=True)
class Merged:
    """What to write: new lines, changed ones, and those that leave."""

    added: list[CardLine] = field(default_factory=list)
    changed: list[CardLine] = field(default_factory=list)
    dropped: list[CardLine] = field(default_factory=list)


def merge(
    standing: Mapping[Identity, CardLine], cards: Iterable[CardLine], mode: Mode
) -> Merged:
    """Tell what becomes of a list; with SET and WHOLE twice is the same as once."""
    merged = Merged()
    met = set()
    for card in summed(cards):
        before = standing.get(card.identity)
        met.add(card.identity)
        if before is None:
            merged.added.append(_counted(card))
        elif (after := _counted(_joined(before, card, mode))) != before:
            merged.changed.append(after)
    if mode is Mode.WHOLE:
        left = [card for identity, card in standing.items() if identity not in met]
        merged.dropped.extend(left)
    _refuse_too_long(len(standing) + len(merged.added) - len(merged.dropped))
    return merged


def _joined(before: CardLine, card: CardLine, mode: Mode) -> CardLine:
    if mode is Mode.SUM:
        return replace(
            before,
            quantity=before.quantity + card.quantity,
            game=before.game or card.game,
        )
    if mode is Mode.WHOLE:
        return card
    return replace(before, quantity=card.quantity, game=card.game or before.game)


def _counted(card: CardLine) -> CardLine:
    if card.quantity > limits.MOST_COPIES:
        raise RuleBroken(
            "「%(name)s」が%(n)s枚になります。1枚のカードは%(most)s枚までです。",
            name=card.name,
            n=card.quantity,
            most=limits.MOST_COPIES,
        )
    return card


def _refuse_too_long(lines: int) -> None:
    if lines > limits.MOST_LINES:
        raise RuleBroken(
            "一覧は%(most)s行までです。このままでは%(n)s行になります。"
            "使わない行を外してから足してください。",
            most=limits.MOST_LINES,
            n=lines,
        )
