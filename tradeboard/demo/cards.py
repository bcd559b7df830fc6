"""Invented cards of an invented game, with the photos that there are of them."""

from tradeboard.core.records import dataclass

GAME = {"ja": "星霜の札", "en": "Cards of Stars and Frost"}


@dataclass(frozen=True)
class Card:
    """A card as both languages name it; `photo` is the beginning of its files."""

    ja: str
    en: str
    set_code: str
    rarity: str
    photo: str = ""

    def name(self, language: str) -> str:
        """Return what people of a language call it."""
        return self.ja if language == "ja" else self.en


CARDS = {
    "azure": Card(
        "蒼天の竜王",
        "Dragon King of the Azure Sky",
        "TB01-001",
        "シークレット",
        "azure",
    ),
    "violet": Card(
        "星詠みの魔導師", "Stargazing Mage", "TB01-004", "ウルトラ", "violet"
    ),
    "crimson": Card(
        "紅蓮の黒翼竜",
        "Black-Winged Dragon in Flames",
        "TB01-012",
        "ウルトラ",
        "crimson",
    ),
    "fox": Card("五尾の狐火", "Five-Tailed Foxfire", "TB01-027", "スーパー", "fox"),
    "hour": Card("時告げの番人", "Keeper of the Hours", "TB02-008", "スーパー", "hour"),
    "gold": Card("黄金の墳墓", "Golden Tomb", "TB02-015", "スーパー", "gold"),
    "tide": Card("凪の帆船", "Ship in the Calm", "TB02-031", "レア", "tide"),
    "hats": Card(
        "四つ帽子の手品", "Conjuring with Four Hats", "TB02-040", "レア", "hats"
    ),
    "rose": Card(
        "薔薇庭の番人", "Keeper of the Rose Garden", "TB03-003", "スーパー", "rose"
    ),
    "gate": Card("異界への門", "Gate to Elsewhere", "TB03-019", "レア", "gate"),
    "storm": Card(
        "旋風の一撃", "Strike of the Whirlwind", "TB02-044", "ノーマル", "storm"
    ),
    "aegis": Card(
        "盾騎士アイギス", "Aegis, Knight of Shields", "TB03-022", "レア", "aegis"
    ),
    "verdant": Card(
        "翠嶺の夕映え", "Sunset on the Green Ridge", "TB03-036", "ノーマル", "verdant"
    ),
    "lantern": Card("霧中の灯台", "Lighthouse in the Fog", "TB04-002", "レア"),
    "siren": Card("深海の歌姫", "Singer of the Deep", "TB04-009", "ウルトラ"),
    "sand": Card("砂時計の旅人", "Hourglass Wanderer", "TB04-017", "ノーマル"),
    "steel": Card("鋼の竜騎兵", "Dragoon of Steel", "TB04-023", "スーパー"),
}

# The codes of what a photo shows, and how its file is called after the card's.
VIEWS = {"front": "", "back": "-back", "corner_tl": "-corner"}
PARCEL = "parcel"

# What those who show several photos say of them.
CAPTIONS = {
    "ja": {
        "front": "昼の光で撮りました",
        "back": "裏面の全体。傷なし",
        "corner_tl": "白欠けなし",
        PARCEL: "この封筒で送ります",
    },
    "en": {
        "front": "Taken in daylight",
        "back": "The whole back, no scratches",
        "corner_tl": "No whitening",
        PARCEL: "It will travel in this envelope",
    },
}
