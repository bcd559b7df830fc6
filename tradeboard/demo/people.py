"""Invented people: traders, a newcomer, moderators, an admin."""

from collections.abc import Iterator

from tradeboard.accounts.rules.standing import Role
from tradeboard.core.records import dataclass

PASSWORD = "cards-and-stamps"

# Local numbers of Tokyo and Osaka never begin with 1: nobody has these.
NUMBER = "{area}-1200-{n:04}"
AREAS = ("03", "06")
# Moderators get a note of this one: seven times the same digit.
LOOKS_MADE_UP = "03-1222-2222"


@dataclass(frozen=True)
class Person:
    """Somebody who can sign in; `joined` counts days back.

    `browser` is whose browser is used, if not an own one.
    """

    handle: str
    mailbox: str
    joined: float
    place: str = "13"
    language: str = "ja"
    role: Role = Role.MEMBER
    confirmed: bool = True
    browser: str = ""

    @property
    def email(self) -> str:
        """Return the primary address; nothing is ever sent to it."""
        return f"{self.mailbox}@example.com"


MINATO, TSUBAME, NAKAO, MIDORI = "みなと", "つばめ", "K.Nakao", "みどり池"
AOI, RIN, TSUKIMI, SHIRATAMA = "あおい", "Rin", "tsukimi", "白玉"
NONOKA, HARU, INUMARU, KIRISHIMA = "ののか", "Haru", "犬丸", "霧島"
SORA, KUROBANE, GINRO, YUZU = "Sora", "黒翼", "銀狼", "ゆず"
HIIRAGI, MORGAN, KUSUNOKI = "ひいらぎ", "Morgan", "くすのき"
SUZURAN = "すずらん"

PEOPLE = (
    Person(MINATO, "minato", 1020, "40"),
    Person(HIIRAGI, "hiiragi", 1010, role=Role.MODERATOR),
    Person(KUSUNOKI, "kusunoki", 1000, role=Role.ADMIN),
    Person(MORGAN, "morgan", 700, language="en", role=Role.MODERATOR),
    Person(TSUBAME, "tsubame", 980, "27"),
    Person(NAKAO, "k.nakao", 410, "14"),
    Person(MIDORI, "midori-ike", 720, "26"),
    Person(AOI, "aoi", 260, "01"),
    Person(RIN, "rin", 24, "13", "en"),
    Person(TSUKIMI, "tsukimi", 880, "23"),
    Person(SHIRATAMA, "shiratama", 540, "34"),
    Person(NONOKA, "nonoka", 610, "04"),
    Person(HARU, "haru", 850, "abroad", "en"),
    Person(INUMARU, "inumaru", 380, "11"),
    Person(KIRISHIMA, "kirishima", 450, "46"),
    Person(SORA, "sora", 230, "28", "en"),
    Person(KUROBANE, "kurobane", 300, "12"),
    Person(GINRO, "ginro", 340, "33"),
    Person(YUZU, "yuzu", 0.95, "38", confirmed=False),
    Person(SUZURAN, "suzuran", 0.5, "12", browser=KUROBANE),
)

BY_HANDLE = {person.handle: person for person in PEOPLE}

# How often two have traded before the last three months, all of it in time.
PAST = {
    (MINATO, TSUBAME): 9,
    (MINATO, TSUKIMI): 8,
    (HARU, MINATO): 6,
    (SHIRATAMA, MINATO): 6,
    (MINATO, NONOKA): 4,
    (MIDORI, MINATO): 4,
    (MINATO, NAKAO): 3,
    (MINATO, AOI): 2,
    (INUMARU, MINATO): 2,
    (MINATO, KUROBANE): 1,
    (TSUBAME, TSUKIMI): 20,
    (TSUBAME, HARU): 22,
    (SHIRATAMA, TSUBAME): 6,
    (TSUBAME, NONOKA): 9,
    (TSUBAME, MIDORI): 11,
    (NAKAO, TSUBAME): 2,
    (TSUBAME, INUMARU): 4,
    (TSUBAME, KIRISHIMA): 6,
    (TSUBAME, GINRO): 2,
    (KUROBANE, TSUBAME): 1,
    (TSUKIMI, HARU): 14,
    (TSUKIMI, SHIRATAMA): 4,
    (NONOKA, TSUKIMI): 6,
    (TSUKIMI, MIDORI): 8,
    (TSUKIMI, INUMARU): 2,
    (KIRISHIMA, TSUKIMI): 2,
    (HARU, NONOKA): 5,
    (HARU, MIDORI): 5,
    (HARU, SHIRATAMA): 2,
    (SORA, HARU): 3,
    (HARU, NAKAO): 2,
    (NONOKA, KIRISHIMA): 3,
    (AOI, SORA): 1,
    (INUMARU, KIRISHIMA): 2,
    (GINRO, NONOKA): 1,
}


def number_of(handle: str) -> str:
    """Return the telephone number that somebody seals; it connects to nobody."""
    if handle == RIN:
        return LOOKS_MADE_UP
    n = list(BY_HANDLE).index(handle)
    return NUMBER.format(area=AREAS[n % len(AREAS)], n=100 + 37 * n)


def address_of(handle: str) -> str:
    """Return where parcels for somebody go; there is no such town."""
    n = list(BY_HANDLE).index(handle) + 1
    if BY_HANDLE[handle].language == "en":
        return f"{handle} Example\n{n} Sample Street, Sampleton"
    return f"〒000-00{n:02}\n見本県ためし市架空町{n}丁目{n + 3}番{n * 2}号\n{handle} 様"


def staff() -> Iterator[Person]:
    """Return those who moderate."""
    return (person for person in PEOPLE if person.role is not Role.MEMBER)
