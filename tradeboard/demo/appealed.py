"""Appeals: one that waits for a moderator, one that has waited too long."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.blacklist import queries as blacklist
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules import appeals as rules
from tradeboard.blacklist.services import appeals, hand
from tradeboard.demo import people as who
from tradeboard.demo.scene import Scene
from tradeboard.trades.rules.findings import Finding

EVIDENCE = (
    "交換会の主催者から、預かった品物を返していないという連絡と、やりとりの写し。"
)
SENTENCE = "主催者との約束の日を過ぎても、品物が返されていません。"
RETURNED = "品物は手渡しで返しました。主催者に確かめてください。"
SENT = (
    "郵便局の窓口から送りました。控えを探したところ、差し出しの日付が残っていました。"
)


def tell(scene: Scene) -> None:
    """銀狼 appeals both entries: one is being looked at, one nobody has decided."""
    ago = scene.ago

    def list_by_hand(by: Account, now: datetime) -> None:
        person = scene.person(who.GINRO)
        found = Finding.BY_HAND
        hand.list_by_hand(person.id, found, None, EVIDENCE, SENTENCE, by=by, now=now)

    scene.let(who.MORGAN, ago(40), list_by_hand)
    scene.let(who.GINRO, ago(20), lambda by, now: _appeal(by, 1, RETURNED, now))
    scene.diary.on(ago(20) + rules.DECIDED_WITHIN, _hide)
    scene.let(who.GINRO, ago(3), lambda by, now: _appeal(by, 0, SENT, now))


def _appeal(by: Account, nth: int, words: str, now: datetime) -> None:
    entry = _entries(by)[nth]
    appeals.appeal(entry.id, words, [], by=by, link=None, now=now)


def _hide(now: datetime) -> None:
    [overdue] = blacklist.overdue_appeal_ids(now)
    appeals.hide_overdue(overdue, now=now)


def _entries(person: Account) -> list[Entry]:
    """Return somebody's entries, oldest first."""
    return sorted(blacklist.entries_of(person.id), key=lambda entry: entry.id)
