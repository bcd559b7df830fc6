"""Names of cards that nobody prints, in Japanese and English, with natural counts."""

import random
from dataclasses import dataclass

from bench.world import OPEN_BELOW, RESERVED
from tradeboard.listings.rules import LineData, ListingData


def split(text: str) -> list[str]:
    """Return the words of a text."""
    return text.split()


GAMES = ("星霜のカード", "月下の盤", "Rune Atlas", "蒼穹戦記", "Iron Harbor")
PLACES = ("13", "27", "23", "01", "40", "14", "26", "34")
RARITIES = ("SR", "R", "UR", "C", "", "")
CONDITIONS = ("A", "A", "A", "B", "B", "C", "D")
LANGUAGES = ("ja", "ja", "ja", "en", "en", "other")
NOTES = (
    "スリーブに入れて保管しています。",
    "防水して普通郵便か追跡つきでお送りします。",
    "Kept in a binder since it was opened.",
    "",
)

JA_FIRST = split(
    "氷結 蒼天 紅蓮 深淵 黄昏 暁光 疾風 雷鳴 幻影 月光 星屑 漆黒 白銀 黄金 翠玉 古代 "
    "永劫 追憶 終焉 無限 静寂 狂乱 祝福 呪縛 忘却 天空 大地 深海 灼熱 極寒 花園 砂漠 "
    "神殿 廃墟 竹林 霧中 彗星 夕凪 残雪 陽炎"
)
JA_LAST = split(
    "不死鳥 騎士 魔女 竜 巨人 精霊 剣士 賢者 守護者 猟犬 召喚師 番人 歌姫 将軍 海賊 "
    "錬金術師 白狐 大蛇 機械兵 案内人 王女 司書 旅人 鍛冶師 踊り子 門番 占星術師 "
    "影武者 薬師 弓兵 楽師 隠者 狼 鷹 獅子 亀 蝶 梟 鯨 人形"
)
EN_FIRST = split(
    "Onyx Amber Frozen Crimson Silent Hollow Verdant Gilded Ashen Lunar Solar Broken "
    "Ancient Velvet Iron Misty Radiant Drowned Feral Sacred Wandering Shattered Azure "
    "Obsidian Ivory Scarlet Twilight Thunder Winter Ember Coral Marble Savage Noble "
    "Forgotten Burning Whispering Copper Emerald Phantom"
)
EN_LAST = split(
    "Griffin Warden Oracle Serpent Paladin Golem Siren Falcon Alchemist Wyvern Monk "
    "Leviathan Ranger Phoenix Colossus Harpy Sphinx Basilisk Druid Gargoyle Kraken "
    "Minotaur Pilgrim Sorcerer Titan Unicorn Valkyrie Wraith Yeti Zealot Archer Bard "
    "Captain Dancer Envoy Forester Guardian Herald Inventor Jester Keeper Lantern "
    "Merchant Navigator Ogre Prophet Queen Raven Sentinel Tinker Usurper Vagabond "
    "Weaver Xylophant Yeoman Zephyr Anvil Beacon Chalice Dagger"
)
# Each stands on a few listings only, of which there are more in larger worlds.
RARE = (
    *split("瑠璃蜥蜴 琥珀蜻蛉 珊瑚麒麟 紫陽花姫 蜃気楼城 螺旋階段 鍾乳洞主 鳳蝶博士"),
    *split("Quetzalvyx Brumoth Ixfandrel Vuzzoquin Pyrrhowick Jabbermyx"),
)
# No listing has them.
ABSENT_2 = split("猫鼠 嘘罠 糠味 zq qx wv")
ABSENT_6 = split("蒲鉾板職人 焼売万国旗 zqzqzq vuvuxi qwxzkj 鱈場蟹電車")


@dataclass(frozen=True)
class Block:
    """One listing as many members could have written it.

    `quantity` copies of the first card are offered; `kind` tells the listing's state.
    """

    number: int
    kind: int
    data: ListingData


def blocks(count: int, kinds: int) -> list[Block]:
    """Return so many listings, always the same ones, and then those with rare words."""
    chance = random.Random(20_261)
    made = [Block(n, n % kinds, _listing(chance, n % kinds)) for n in range(count)]
    for at, word in enumerate(RARE):
        # Where rare words stand, listings are open.
        data = _listing(chance, 0, word)
        made.append(Block(count + at, 0, data))
    return made


def _listing(chance: random.Random, kind: int, rare: str = "") -> ListingData:
    only_one = kind >= OPEN_BELOW
    have = [_card(chance, chance.choice(CONDITIONS), rare)]
    if not only_one and chance.random() < 0.4:
        have.append(_card(chance, chance.choice(CONDITIONS)))
    want = [_card(chance, chance.choice(("", "", "A", "B")))]
    if chance.random() < 0.3:
        want.append(_card(chance, ""))
    copies = 4 if only_one else chance.choice((1, 1, 1, 2, 3))
    have[0] = LineData(**{**vars(have[0]), "quantity": copies})
    return ListingData(
        have=tuple(have),
        want=tuple(want),
        game=chance.choice(GAMES),
        note=chance.choice(NOTES),
        ships_from=chance.choice(PLACES),
        ships_to="abroad" if chance.random() < 0.2 else "domestic",
    )


def _card(chance: random.Random, condition: str, rare: str = "") -> LineData:
    if chance.random() < 0.5:
        name = f"{chance.choice(JA_FIRST)}の{chance.choice(JA_LAST)}"
    else:
        name = f"{chance.choice(EN_FIRST)} {chance.choice(EN_LAST)}"
    code = (
        f"{chance.choice('SRMKT')}{chance.randrange(1, 9)}-{chance.randrange(120):03}"
    )
    return LineData(
        name=f"{name} {rare}".strip(),
        quantity=1,
        set_code=code if chance.random() < 0.6 else "",
        rarity=chance.choice(RARITIES),
        language=chance.choice(LANGUAGES),
        condition=condition,
    )


def is_reserved(kind: int) -> bool:
    """Tell whether a listing of this kind is promised to somebody."""
    return kind == RESERVED
