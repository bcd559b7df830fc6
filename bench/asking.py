"""What each case of reading asks for: never the same thing twice in a row."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count, cycle
from urllib.parse import quote, urlencode

from bench import words
from bench.cast import Browser
from bench.load import Ask, get, post
from bench.people import Keys, Person
from bench.world import KINDS, LISTED_WITHIN_S, OPEN_BELOW, World
from tradeboard.core import paging

MANY = 2000
CHECK = "/api/v1/blacklist/check"
SHOWN_ROWS = 24
JSON = "application/json"


@dataclass(frozen=True)
class Cast:
    """Who asks: the world, its signed-in readers, their rooms, and a key."""

    world: World
    readers: list[Browser]
    rooms: list[tuple[int, Browser]]
    key: dict[str, str]


def chance(world: World) -> random.Random:
    """Return the same chances for every run over a world."""
    return random.Random(world.size)


def anew(paths: Sequence[str]) -> Iterator[Ask]:
    """Ask for pages in turn, by an address that nobody has asked for before.

    The board keeps pages for visitors by address, for some seconds: here it must make
    each of them.
    """
    for number, path in zip(count(), cycle(paths)):  # noqa: B905 (neither ends)
        yield get(f"{path}{'&' if '?' in path else '?'}v={number}")


def board(cast: Cast) -> Iterator[Ask]:
    """The first page, as a visitor sees it."""
    return cycle([get("/")])


def board_anew(cast: Cast) -> Iterator[Ask]:
    """The first page, made for every visitor."""
    return anew(["/"])


def board_signed_in(cast: Cast) -> Iterator[Ask]:
    """The first page, as many members see it."""
    return cycle([one.get("/") for one in cast.readers])


def board_deep(cast: Cast) -> Iterator[Ask]:
    """Pages from the middle of the board, each another one."""
    world = cast.world
    paths = []
    for at in range(MANY // 10):
        number = world.size // 2 + at * max(1, world.size // 10_000)
        ago = (world.size - number) * LISTED_WITHIN_S // world.size
        moment = datetime.fromtimestamp(int(world.at.timestamp()) - ago, UTC)
        after = paging.encode(paging.Cursor(moment, number + 1))
        paths.append(f"/?after={quote(after)}")
    return anew(paths)


def board_filtered(cast: Cast) -> Iterator[Ask]:
    """The board through filters, alone and together."""
    picks = chance(cast.world)
    choices = {
        "game": words.GAMES,
        "cond": ("ab", "cd"),
        "lang": ("ja", "en", "other"),
        "rarity": ("SR", "R", "UR", "C"),
        "ship": ("abroad",),
        "photo": ("1",),
    }
    paths = []
    for _ in range(MANY // 10):
        names = picks.sample(sorted(choices), picks.choice((1, 1, 2, 2, 3)))
        asked = {name: picks.choice(choices[name]) for name in names}
        paths.append(f"/?{urlencode(asked)}")
    return anew(paths)


def search_2(cast: Cast) -> Iterator[Ask]:
    """Searches of two signs in both scripts: frequent, rare, and found nowhere."""
    found = [word[:2] for word in (*words.JA_LAST, *words.JA_FIRST, *words.EN_LAST)]
    rare = [word[:2] for word in words.RARE]
    return _searches(cast, [w for w in found if len(w) == 2], rare, words.ABSENT_2)


def search_6(cast: Cast) -> Iterator[Ask]:
    """The same with six signs."""
    japanese = [f"{a}の{b}"[:6] for a in words.JA_FIRST[:20] for b in words.JA_LAST[:8]]
    english = [word[:6] for word in words.EN_LAST if len(word) >= 6]
    rare = [word[:6] for word in words.RARE]
    found = [word for word in japanese if len(word) == 6] + english * 3
    return _searches(cast, found, rare, words.ABSENT_6)


def _searches(cast: Cast, found, rare, absent) -> Iterator[Ask]:
    picks = chance(cast.world)
    wanted = [*(picks.choice(found) for _ in range(80))]
    wanted += [picks.choice(rare) for _ in range(10)]
    wanted += [picks.choice(absent) for _ in range(10)]
    picks.shuffle(wanted)
    return anew([f"/?{urlencode({'q': word})}" for word in wanted])


def listing(cast: Cast) -> Iterator[Ask]:
    """Pages of open listings from all over the board."""
    picks, world = chance(cast.world), cast.world
    numbers = [
        picks.randrange(world.size // KINDS) * KINDS + picks.randrange(OPEN_BELOW)
        for _ in range(MANY)
    ]
    return anew([f"/listings/{number + 1}" for number in numbers])


def trade_room(cast: Cast) -> Iterator[Ask]:
    """Rooms of trades that are under way, as one of the two sees them."""
    return cycle([one.get(f"/trades/{trade_id}") for trade_id, one in cast.rooms])


def names(world: World) -> list[str]:
    """Return names from all over the world, listed or not, and some of nobody."""
    picks = chance(world)
    found = [Person(picks.randrange(world.accounts) + 1).handle for _ in range(MANY)]
    listed = [
        Person((picks.randrange(world.listed) + 1) * world.stride).handle
        for _ in range(MANY // 4)
    ]
    nobody = [f"nobody{number}" for number in range(MANY // 4)]
    mixed = found + listed + nobody
    picks.shuffle(mixed)
    return mixed


def look_up(cast: Cast) -> Iterator[Ask]:
    """One name after the other, for programs."""
    asked = names(cast.world)
    return cycle([get(f"{CHECK}?{urlencode({'handle': name})}") for name in asked])


def look_up_code(cast: Cast) -> Iterator[Ask]:
    """One device code after the other, every second one on the list."""
    picks, world, keys = chance(cast.world), cast.world, Keys()
    ids = [picks.randrange(world.accounts) + 1 for _ in range(MANY // 4)]
    ids += [
        (picks.randrange(world.listed) + 1) * world.stride for _ in range(MANY // 4)
    ]
    picks.shuffle(ids)
    codes = [keys.device(Person(one).device_id)[1] for one in ids]
    return cycle([get(f"{CHECK}?device={code}") for code in codes])


def look_up_page(cast: Cast) -> Iterator[Ask]:
    """The page on which people look a name up."""
    asked = names(cast.world)
    return anew([f"/blacklist?{urlencode({'handle': name})}" for name in asked])


def bulk_100(cast: Cast) -> Iterator[Ask]:
    """A hundred names at once, other ones each time."""
    asked = names(cast.world)
    bodies = [
        json.dumps({"handles": sorted(set(asked[at : at + 100]))}).encode()
        for at in range(0, len(asked) - 100, 100)
    ]
    return cycle([post(CHECK, body, JSON, cast.key) for body in bodies])


def changes(cast: Cast) -> Iterator[Ask]:
    """A hundred changes from somewhere in the feed."""
    picks = chance(cast.world)
    last = max(1, cast.world.entries - 200)
    return cycle(
        [
            get(f"/api/v1/blacklist/changes?since={picks.randrange(last)}", **cast.key)
            for _ in range(MANY // 10)
        ]
    )


READING: dict[str, Callable[[Cast], Iterator[Ask]]] = {
    case.__name__: case
    for case in (
        board,
        board_signed_in,
        board_deep,
        board_filtered,
        search_2,
        search_6,
        listing,
        trade_room,
        look_up,
        look_up_code,
        look_up_page,
        bulk_100,
        changes,
    )
}
FOR_PROGRAMS = {"look_up": 1, "look_up_code": 1, "bulk_100": 100, "changes": 100}


def limit_of(case: str, size: int, world: World) -> Iterator[Ask]:
    """Return what the limit is asked instead: as many rows, in as many bytes."""
    if case not in FOR_PROGRAMS:
        rows = 1 if case in ("listing", "trade_room", "look_up_page") else SHOWN_ROWS
        return cycle([get(f"/page/{rows}/{size}")])
    asked, each = names(world), FOR_PROGRAMS[case]
    skeletons = [name.lower() for name in asked]
    return cycle(
        [
            get(
                f"/json/{size}?"
                + urlencode([("name", name) for name in skeletons[at : at + each]])
            )
            for at in range(0, len(skeletons) - each, each)
        ]
    )
