"""What the columns of a sheet of cards are called."""

from collections.abc import Mapping

# Names of columns, folded; the first of each is what we write.
NAMES: Mapping[str, tuple[str, ...]] = {
    "name": ("カード名", "名前", "name", "card name", "card", "cardname"),
    "quantity": ("枚数", "数量", "quantity", "count", "qty", "amount"),
    "set_code": (
        "型番",
        "set code",
        "code",
        "set",
        "edition",
        "set_code",
        "card number",
        "number",
    ),
    "rarity": ("レアリティ", "rarity", "レア度"),
    "language": ("言語", "language", "lang"),
    "condition": ("状態", "condition", "grade"),
    "game": ("ゲーム", "game"),
}
ENGLISH = {
    "name": "Name",
    "quantity": "Quantity",
    "set_code": "Set code",
    "rarity": "Rarity",
    "language": "Language",
    "condition": "Condition",
    "game": "Game",
}
FIELD_OF = {name.casefold(): field for field, names in NAMES.items() for name in names}
