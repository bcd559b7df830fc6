"""One fold for identity, one key for search.

`fold` knows width, case and kana; spoken words and names are compared by it. `key`
goes further, for searching alone: long-vowel marks and old forms of kanji do not count
either. A part of a word has a part of its key, so that searching for parts works.
"""

import re
import unicodedata

KATAKANA_TO_HIRAGANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
LONGEST_SEARCH = 64

# Old and rare forms of kanji, each above the one that stands for both.
OLD_FORMS = (
    "龍劍劔劒剱鐵鐡銕櫻亞齋齊斉澤邊邉濱國學會廣眞靈獸戰黑瀧髙﨑嵜德惠應變體"
    "萬壽寶寳惡圓氣來燈螢藝蟲龜榮淺渕嶋嶌峯鷄鬪鎭巖曉壯從彈斷晝權歸殘滿爐狀"
    "獨當祕禮總聲舊號覺轉釋險雙雜靜點齒冰嶽彌與傳醫鹽繪讀辯缺竊觸遲遙鑛驅"
)
NEW_FORMS = (
    "竜剣剣剣剣鉄鉄鉄桜亜斎斎斎沢辺辺浜国学会広真霊獣戦黒滝高崎崎徳恵応変体"
    "万寿宝宝悪円気来灯蛍芸虫亀栄浅淵島島峰鶏闘鎮巌暁壮従弾断昼権帰残満炉状"
    "独当秘礼総声旧号覚転釈険双雑静点歯氷岳弥与伝医塩絵読弁欠窃触遅遥鉱駆"
)
VARIANTS = str.maketrans(OLD_FORMS, NEW_FORMS)

LONG = "ー"
DASHES = "‐‑‒–—―−─━~〜〰-"
KANA = "\u3041-\u3096"
# What chooses the look of the sign before it, and what has no look at all.
UNSEEN = re.compile("[\ufe00-\ufe0f\u00ad\u200b\u2060\ufeff\x00-\x08\x0e-\x1b\x7f]")
LENGTHENED = re.compile(f"(?<=[{KANA}])(?:{LONG}+|[{LONG}{DASHES}]+(?=[{KANA}]|\\s|$))")
ANY_DASH = re.compile(f"[{LONG}{DASHES}]")
BEGUN_LONG = re.compile(f"^[{LONG}{DASHES}]+(?=[{KANA}])")


def fold(text: str) -> str:
    """Return a text by which names are compared.

    NFKC, case folded, katakana as hiragana, single spaces.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(folded.translate(KATAKANA_TO_HIRAGANA).split())


def key(text: str) -> str:
    """Return what a text is searched by: folded, without long vowels and old forms."""
    folded = fold(UNSEEN.sub("", text)).translate(VARIANTS)
    return ANY_DASH.sub("-", LENGTHENED.sub("", folded))


def terms(query: str) -> list[str]:
    """Return the keys of a query's words, all of which must be found."""
    words = key(query[:LONGEST_SEARCH]).split()
    return [BEGUN_LONG.sub("", word) for word in words]


def like(term: str) -> str:
    r"""Return a LIKE pattern that finds the term literally; the escape is `\`."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", term) + "%"
