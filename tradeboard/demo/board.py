"""Forty listings, in every state that a listing can have."""

from datetime import datetime
from functools import partial
from typing import Any

from tradeboard.accounts.models import Account
from tradeboard.core.records import dataclass
from tradeboard.demo import people as who
from tradeboard.demo.cards import CAPTIONS, CARDS, GAME, PARCEL, VIEWS
from tradeboard.demo.diary import Verb
from tradeboard.demo.people import BY_HANDLE
from tradeboard.demo.scene import Scene
from tradeboard.listings import queries, services
from tradeboard.listings.rules import LineData, ListingData
from tradeboard.listings.rules.states import LIFETIME
from tradeboard.listings.services import searching

Cards = dict[str, int]


@dataclass(frozen=True)
class Post:
    """A listing: cards by key with how many; `at` counts days back.

    `extra` are photos beside the first one, `grade` is how well the cards have kept.
    """

    key: str
    owner: str
    at: float
    have: Cards
    want: Cards
    grade: str = "A"
    extra: tuple[str, ...] = ()
    note: str = ""
    abroad: bool = False

    def data(self) -> ListingData:
        """Return it as a filled form says it."""
        person = BY_HANDLE[self.owner]
        return ListingData(
            have=tuple(
                self._line(card, n, self.grade) for card, n in self.have.items()
            ),
            want=tuple(self._line(card, n, "B") for card, n in self.want.items()),
            game=GAME[person.language],
            note=self.note,
            ships_from=person.place,
            ships_to="abroad" if self.abroad else "domestic",
        )

    def form(self) -> dict[str, Any]:
        """Return it as a draft keeps it."""
        data = self.data()
        return {
            "have": [_typed(line) for line in data.have],
            "want": [_typed(line) for line in data.want],
            "game": data.game,
            "note": data.note,
            "ships_from": data.ships_from,
            "ships_to": data.ships_to,
        }

    def pictures(self) -> list[tuple[str, str]]:
        """Return what each photo shows, and the name of its file."""
        photo = next((CARDS[c].photo for c in self.have if CARDS[c].photo), "")
        first = [("front", photo)] if photo else []
        rest = [(view, photo + VIEWS.get(view, "")) for view in self.extra]
        return first + [(v, PARCEL if v == PARCEL else file) for v, file in rest]

    def caption(self, view: str) -> str:
        """Return what the owner of several photos says of one of them."""
        if not self.extra:
            return ""
        return CAPTIONS[BY_HANDLE[self.owner].language].get(view, "")

    def _line(self, key: str, quantity: int, grade: str) -> LineData:
        card, language = CARDS[key], BY_HANDLE[self.owner].language
        return LineData(
            name=card.name(language),
            quantity=quantity,
            set_code=card.set_code,
            rarity=card.rarity,
            language=language,
            condition=grade,
        )


def _typed(line: LineData) -> dict[str, str]:
    names = ("name", "set_code", "rarity", "language", "condition")
    typed = {name: getattr(line, name) for name in names}
    return {"id": "", **typed, "quantity": str(line.quantity)}


ALL_SIDES = ("corner_tl", "back", PARCEL)

POSTS = (
    # Offers and trades are told of these in `running` and `ended`.
    Post("みなと/storm", who.MINATO, 6, {"storm": 3}, {"hour": 1}, "B", (PARCEL,)),
    Post(
        "みなと/azure",
        who.MINATO,
        9,
        {"azure": 1},
        {"violet": 1},
        extra=ALL_SIDES,
        note="スリーブに入れて保管しています。角の写真を追加できます。",
    ),
    Post("みなと/gate", who.MINATO, 8, {"gate": 1}, {"aegis": 1}, extra=(PARCEL,)),
    Post("みなと/tide", who.MINATO, 12, {"tide": 1}, {"rose": 1}),
    Post("みなと/fox", who.MINATO, 21, {"fox": 1}, {"hats": 1}),
    Post("みなと/hour", who.MINATO, 22, {"hour": 1, "sand": 2}, {"gold": 1}),
    Post("みなと/rose", who.MINATO, 25, {"rose": 1}, {"verdant": 2}),
    Post(
        "つばめ/violet", who.TSUBAME, 16, {"violet": 2}, {"azure": 1}, extra=ALL_SIDES
    ),
    Post("つばめ/gold", who.TSUBAME, 9, {"gold": 1}, {"hats": 1}, extra=(PARCEL,)),
    Post("つばめ/tide", who.TSUBAME, 15, {"tide": 2}, {"verdant": 1}),
    Post("つばめ/steel", who.TSUBAME, 26, {"fox": 1, "steel": 1}, {"siren": 1}),
    Post("K.Nakao/crimson", who.NAKAO, 9, {"crimson": 1}, {"rose": 2}, "B"),
    Post("K.Nakao/rose", who.NAKAO, 8, {"rose": 2}, {"lantern": 1}, "B"),
    Post("K.Nakao/hats", who.NAKAO, 24, {"hats": 1}, {"fox": 1}),
    Post("みどり池/fox", who.MIDORI, 19, {"fox": 1}, {"tide": 1}),
    Post("みどり池/verdant", who.MIDORI, 14, {"verdant": 2}, {"gate": 1}, "B"),
    Post("tsukimi/tide", who.TSUKIMI, 9, {"tide": 1}, {"verdant": 1}, extra=("back",)),
    Post("tsukimi/aegis", who.TSUKIMI, 20, {"aegis": 2}, {"gate": 1}),
    Post("tsukimi/gold", who.TSUKIMI, 29, {"gold": 1}, {"crimson": 1}),
    Post("白玉/hats", who.SHIRATAMA, 8, {"hats": 1}, {"gold": 1}, "B"),
    Post("白玉/verdant", who.SHIRATAMA, 23, {"verdant": 3}, {"storm": 3}),
    Post("ののか/rose", who.NONOKA, 18, {"rose": 1}, {"crimson": 1}),
    Post("ののか/gate", who.NONOKA, 27, {"gate": 1}, {"azure": 1}),
    Post(
        "Haru/aegis",
        who.HARU,
        5,
        {"aegis": 1},
        {"gate": 1, "fox": 1},
        extra=("back",),
        note="Sleeved since it left the pack. More photos on request.",
        abroad=True,
    ),
    Post(
        "Haru/violet",
        who.HARU,
        17,
        {"violet": 1},
        {"azure": 1},
        extra=ALL_SIDES,
        abroad=True,
    ),
    Post("Haru/storm", who.HARU, 48, {"storm": 2}, {"hour": 1}, "B", abroad=True),
    Post("Rin/gold", who.RIN, 8, {"gold": 1}, {"hats": 1}),
    Post("犬丸/crimson", who.INUMARU, 20, {"crimson": 1}, {"aegis": 1}),
    Post("霧島/hour", who.KIRISHIMA, 21, {"hour": 1}, {"steel": 1}),
    Post("黒翼/crimson", who.KUROBANE, 22, {"crimson": 2}, {"violet": 1}, "C"),
    Post("銀狼/gate", who.GINRO, 104, {"gate": 1}, {"siren": 1}),
    # On the board, without a story.
    Post("あおい/hour", who.AOI, 4, {"hour": 1}, {"storm": 3}, "B"),
    Post("ののか/siren", who.NONOKA, 2, {"siren": 1}, {"lantern": 1, "steel": 1}),
    Post(
        "Rin/verdant",
        who.RIN,
        1,
        {"verdant": 1, "sand": 1},
        {"fox": 1},
        note="I am new here and happy about every reply.",
    ),
    Post(
        "つばめ/azure",
        who.TSUBAME,
        0.3,
        {"azure": 1, "steel": 2},
        {"crimson": 1, "siren": 1},
        extra=("back",),
        note="まとめての交換を歓迎します。返事は夜になります。",
    ),
    # And one for each way in which a listing is not on the board.
    Post("tsukimi/lantern", who.TSUKIMI, 33, {"lantern": 1, "violet": 1}, {"gold": 1}),
    Post("白玉/sand", who.SHIRATAMA, 10, {"tide": 1, "sand": 4}, {"hour": 1}, "C"),
    Post("あおい/storm", who.AOI, 7, {"storm": 5}, {"steel": 1}, "D"),
    Post(
        "みなと/draft", who.MINATO, 0.5, {"crimson": 1}, {"siren": 1}, extra=("back",)
    ),
    Post("ゆず/aegis", who.YUZU, 0.8, {"aegis": 1}, {"storm": 2}),
)

DRAFTS = {"みなと/draft"}
# When somebody has saved which search, in days before now.
KEPT = {
    6.0: {"q": "竜", "cond": "ab", "photo": "1"},
    2.5: {"mine": "1"},
}
EXPIRED = {"tsukimi/lantern", "Haru/storm"}
HIDDEN = "写真に別のカードが写っています。写真を入れかえると、もう一度公開できます。"


def tell(scene: Scene) -> None:
    """Let everybody post, and four listings leave the board again."""
    for post in POSTS:
        scene.let(post.owner, scene.ago(post.at, hours=2), _Posting(scene, post))
    for post in POSTS:
        if post.key in EXPIRED:
            end = scene.ago(post.at, hours=2) + LIFETIME
            scene.diary.on(end, _expiry(scene, post.key))
    scene.let(
        who.SHIRATAMA,
        scene.ago(3),
        lambda by, now: services.withdraw(scene.listings["白玉/sand"], by=by, now=now),
    )
    scene.let(
        who.HIIRAGI,
        scene.ago(2),
        lambda by, now: services.hide(
            scene.listings["あおい/storm"], HIDDEN, by=by, now=now
        ),
    )
    _keep_searches(scene)


def _keep_searches(scene: Scene) -> None:
    """Let somebody wait for dragons, and for whoever wants what she has."""
    for at, asked in KEPT.items():
        scene.let(
            who.MINATO,
            scene.ago(at),
            partial(_keep, asked),
        )


def _keep(asked: dict[str, str], by: Account, now: datetime) -> None:
    searching.keep(asked, by=by, now=now)


def _expiry(scene: Scene, key: str) -> Verb:
    return lambda now: services.expire(scene.listings[key], now=now)


class _Posting:
    """Draft a listing, add its photos, and post it unless it stays a draft."""

    def __init__(self, scene: Scene, post: Post):
        self.scene, self.post = scene, post

    def __call__(self, by: Account, now: datetime) -> None:
        draft = services.start(self.post.form(), by=by, now=now)
        self.scene.listings[self.post.key] = draft.id
        shots, captions = {}, {}
        for view, file in self.post.pictures():
            if file not in self.scene.pictures:
                continue
            stored = self.scene.pictures.for_listing(file)
            services.add_photo(draft.id, stored, by=by, now=now)
            shots[stored.id] = view
            captions[stored.id] = self.post.caption(view)
        services.describe_photos(draft.id, shots, captions, by=by)
        if self.post.key not in DRAFTS:
            services.post(draft.id, self.post.data(), by=by, now=now)


def line_of(listing_id: int, name: str):
    """Return the line of a listing that names a card."""
    lines = queries.get_listing(listing_id).lines
    return next(line for line in lines if line.name == name and line.side == "have")
