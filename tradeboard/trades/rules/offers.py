"""What each side gives: what an offer must have, and what a new version changes."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import Message, message
from tradeboard.core.records import dataclass
from tradeboard.trades.rules.states import Party

MOST_ITEMS = 20
MOST_COPIES = 99


@dataclass(frozen=True)
class Item:
    """So many copies of one card from one side; `line_id` names the listing's line."""

    giver: str
    name: str
    quantity: int
    line_id: int | None = None
    set_code: str = ""
    condition: str = ""
    language: str = ""


class ChangeKind(StrEnum):
    """How a version differs from the one before it."""

    ADDED = "added"
    REMOVED = "removed"
    QUANTITY = "quantity"


@dataclass(frozen=True)
class Change:
    """One difference; `before` and `after` count the copies."""

    kind: ChangeKind
    giver: str
    name: str
    before: int
    after: int
    details: tuple[str, ...] = ()


_WORDS = {
    (ChangeKind.ADDED, Party.POSTER): message(
        "募集した側：%(name)s ×%(after)s を追加しました"
    ),
    (ChangeKind.ADDED, Party.PROPOSER): message(
        "申し込んだ側：%(name)s ×%(after)s を追加しました"
    ),
    (ChangeKind.REMOVED, Party.POSTER): message(
        "募集した側：%(name)s ×%(before)s を外しました"
    ),
    (ChangeKind.REMOVED, Party.PROPOSER): message(
        "申し込んだ側：%(name)s ×%(before)s を外しました"
    ),
    (ChangeKind.QUANTITY, Party.POSTER): message(
        "募集した側：%(name)s の枚数を %(before)s から %(after)s に変えました"
    ),
    (ChangeKind.QUANTITY, Party.PROPOSER): message(
        "申し込んだ側：%(name)s の枚数を %(before)s から %(after)s に変えました"
    ),
}

# The same, said to one of the two: by whether he gives it.
_WORDS_TO = {
    (ChangeKind.ADDED, True): message(
        "あなたが渡すもの：%(name)s ×%(after)s を追加しました"
    ),
    (ChangeKind.ADDED, False): message(
        "あなたが受け取るもの：%(name)s ×%(after)s を追加しました"
    ),
    (ChangeKind.REMOVED, True): message(
        "あなたが渡すもの：%(name)s ×%(before)s を外しました"
    ),
    (ChangeKind.REMOVED, False): message(
        "あなたが受け取るもの：%(name)s ×%(before)s を外しました"
    ),
    (ChangeKind.QUANTITY, True): message(
        "あなたが渡すもの：%(name)s の枚数を %(before)s から %(after)s に変えました"
    ),
    (ChangeKind.QUANTITY, False): message(
        "あなたが受け取るもの：%(name)s の枚数を %(before)s から %(after)s に変えました"
    ),
}


def check_offer(items: Sequence[Item]) -> None:
    """Refuse an offer that one side would not take part in, or that is too large."""
    for party in Party:
        if not any(item.giver == party for item in items):
            raise RuleBroken(
                "どちらの側も1点以上を出す必要があります。"
                "渡すものと受け取るものを選んでください",
                field="items",
            )
    if len(items) > MOST_ITEMS:
        raise RuleBroken(
            "1回の取引に入れられるのは%(most)s点までです。"
            "点数を減らすか、取引を分けてください",
            field="items",
            most=MOST_ITEMS,
        )
    for item in items:
        if not 1 <= item.quantity <= MOST_COPIES:
            raise RuleBroken(
                "「%(name)s」の枚数は1から%(most)sまでの数にしてください",
                field="quantity",
                name=item.name,
                most=MOST_COPIES,
            )


def difference(old: Sequence[Item], new: Sequence[Item]) -> list[Change]:
    """List what changed from one version to the next, in the order of the versions."""
    before, after = _counted(old), _counted(new)
    changes = []
    for item in before | after:
        had, has = before.get(item, 0), after.get(item, 0)
        if had != has:
            changes.append(_change(item, had, has))
    return changes


def in_words(change: Change, reader: Party | None = None) -> Message:
    """Say a change in a sentence that names the side which gives, or tells a reader."""
    details = f"（{' / '.join(change.details)}）" if change.details else ""
    words = _WORDS[change.kind, Party(change.giver)]
    if reader is not None:
        words = _WORDS_TO[change.kind, change.giver == reader]
    return message(
        words.text,
        name=change.name + details,
        before=change.before,
        after=change.after,
    )


def _counted(items: Sequence[Item]) -> dict[Item, int]:
    """Count the copies of each card; the same card in two rows is one."""
    counted: dict[Item, int] = {}
    for item in items:
        one = replace(item, quantity=1)
        counted[one] = counted.get(one, 0) + item.quantity
    return counted


def _change(item: Item, before: int, after: int) -> Change:
    kind = ChangeKind.QUANTITY
    if not before:
        kind = ChangeKind.ADDED
    elif not after:
        kind = ChangeKind.REMOVED
    details = (item.set_code, item.condition, item.language)
    told = tuple(detail for detail in details if detail)
    return Change(kind, item.giver, item.name, before, after, told)
