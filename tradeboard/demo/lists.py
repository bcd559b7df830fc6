"""Lists of cards: three who match Minato both ways, and a ring of three."""

from collections.abc import Mapping
from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.cards import services
from tradeboard.cards.rules.lines import CardLine
from tradeboard.cards.rules.merging import Mode
from tradeboard.cards.rules.sides import CardSide
from tradeboard.cards.services.lists import NUMBERS, PASTED
from tradeboard.core import drafts
from tradeboard.demo import people as who
from tradeboard.demo.cards import CARDS, GAME
from tradeboard.demo.people import BY_HANDLE
from tradeboard.demo.scene import Scene

Cards = Mapping[str, int]

# Cards by key with how many; one with a grade says how well it has (to have) kept.
LISTS: dict[str, tuple[Cards, Cards]] = {
    who.MINATO: (
        {"storm": 4, "tide": 2, "gate": 1, "hats A": 1, "verdant": 3, "sand": 2},
        {"violet": 1, "aegis B": 2, "gold": 1, "fox": 1, "lantern": 1},
    ),
    who.TSUBAME: (
        {"violet A": 2, "gold": 1, "tide": 2, "steel": 3},
        {"storm": 3, "hats B": 1, "azure": 1},
    ),
    who.TSUKIMI: (
        {"aegis A": 2, "rose": 1, "gold B": 1},
        {"gate": 1, "tide": 1, "crimson": 1},
    ),
    who.MIDORI: ({"fox B": 1, "hour": 2}, {"verdant": 2, "azure": 1}),
    # Nobody has what she wants and wants what she has; three together do.
    who.AOI: ({"crimson": 1, "sand": 1}, {"siren": 1}),
    who.SHIRATAMA: ({"rose": 2}, {"crimson C": 1}),
    who.NONOKA: ({"siren A": 1}, {"rose": 1}),
    who.HARU: ({"aegis A": 1, "violet": 1}, {"gate": 1, "fox": 1}),
    who.RIN: ({"gate B": 1, "gold": 1}, {"aegis": 1}),
}
SINCE = 2.5
PASTE = """# さがしもの
2x 紅蓮の黒翼竜 [TB01-012] (ウルトラ)
深海の歌姫 ×1
鋼の竜騎兵\t3\tTB04-023
0x 数えまちがい
"""


def tell(scene: Scene) -> None:
    """Let everybody write down what they have and want."""
    for at, (handle, lists) in enumerate(LISTS.items()):
        scene.let(handle, scene.ago(SINCE, minutes=at), _Writing(handle, lists))
    scene.let(who.MINATO, scene.ago(0.2), _paste)


def _paste(by: Account, now: datetime) -> None:
    """Leave a pasted text that has not been put on the list yet."""
    fields = {"text": PASTE, "form": "text"}
    drafts.keep(by.id, PASTED, NUMBERS[CardSide.WANT], fields, now=now)


class _Writing:
    """Put the cards of somebody on both lists."""

    def __init__(self, handle: str, lists: tuple[Cards, Cards]):
        self.handle, self.lists = handle, lists

    def __call__(self, by: Account, now: datetime) -> None:
        for side, cards in zip(CardSide, self.lists, strict=True):
            lines = [self._line(key, n) for key, n in cards.items()]
            services.import_cards(side, lines, Mode.SET, by=by, now=now)

    def _line(self, key: str, quantity: int) -> CardLine:
        name, _, grade = key.partition(" ")
        card, language = CARDS[name], BY_HANDLE[self.handle].language
        return CardLine(
            card.name(language),
            quantity,
            set_code=card.set_code,
            rarity=card.rarity,
            language=language,
            condition=grade,
            game=GAME[language],
        )
