"""The codes of a card in words."""

from tradeboard.cards.rules.sides import CardSide
from tradeboard.core.messages import Message, message

SIDES: dict[str, Message] = {
    "have": message("持っているカード"),
    "want": message("ほしいカード"),
}

LANGUAGES: dict[str, Message] = {
    "ja": message("日本語"),
    "en": message("英語"),
    "other": message("その他の言語"),
}

CONDITIONS: dict[str, Message] = {
    "A": message("A 傷なし"),
    "B": message("B 小さな傷"),
    "C": message("C 使用感あり"),
    "D": message("D 折れ・欠け"),
}

# On the want list a code says how well a card has kept at least.
LEAST_CONDITIONS: dict[str, Message] = {
    "A": message("Aのみ"),
    "B": message("B以上"),
    "C": message("C以上"),
    "D": message("D以上"),
}


def conditions(side: CardSide) -> dict[str, Message]:
    """Return what the codes of condition say on a list."""
    return CONDITIONS if side is CardSide.HAVE else LEAST_CONDITIONS
