"""What makes a moderator look: the same thing said again and again."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import field
from datetime import datetime, timedelta
from enum import StrEnum

from tradeboard.core.records import dataclass

WINDOW = timedelta(days=7)
BY_ONE = 3
YOUNG_FOR = timedelta(days=14)
MANY_LISTINGS = 10
PARTNERS = 4
SHORTEST_MESSAGE = 10
MOST_PHOTOS = 1000
MOST_MESSAGES = 3000
MOST_GROUPS = 50
MOST_PEOPLE = 5
MOST_HELD = 20

BITS = 64
NEAR = 4
BANDS = NEAR + 1


class Kind(StrEnum):
    """What is alike."""

    TEXT = "text"
    PHOTO = "photo"
    YOUNG = "young"
    MESSAGE = "message"
    HELD = "held"


@dataclass(frozen=True)
class Signal:
    """Something that several did, or one did often; `key` names it with its number.

    The same with a greater number is a signal again, though it was put away before.
    """

    kind: Kind
    name: str
    count: int
    latest: datetime
    account_ids: tuple[int, ...] = ()
    listing_ids: tuple[int, ...] = ()
    photo_ids: tuple[str, ...] = ()
    words: str = ""
    why_held: str = ""

    @property
    def key(self) -> str:
        """Return what is kept when somebody has looked at it."""
        return f"{self.kind.value}:{self.name}:{self.count}"


@dataclass(frozen=True)
class Picture:
    """A photo: whose it is, where, and the digest of how it looks."""

    id: str
    owner_id: int
    listing_id: int
    digest: int
    at: datetime = field(compare=False)


def distance(one: int, other: int) -> int:
    """Return in how many bits two digests differ."""
    return (one ^ other).bit_count()


def alike(pictures: Iterable[Picture]) -> list[list[Picture]]:
    """Return groups of photos that look alike and belong to different people.

    Of five parts of two digests that differ in four bits at most, one is the same:
    only photos that share a part are compared.
    """
    groups = _Groups()
    buckets: dict[tuple[int, int], list[Picture]] = defaultdict(list)
    for picture in pictures:
        for place in _bands(picture.digest):
            for other in buckets[place]:
                if distance(picture.digest, other.digest) <= NEAR:
                    groups.join(picture, other)
            buckets[place].append(picture)
    return [
        group
        for group in groups.all()
        if len({picture.owner_id for picture in group}) > 1
    ]


def _bands(digest: int) -> Iterator[tuple[int, int]]:
    width = -(-BITS // BANDS)
    for band in range(BANDS):
        yield band, (digest >> (band * width)) & ((1 << width) - 1)


class _Groups:
    """Joins what is alike into groups."""

    def __init__(self) -> None:
        self._group: dict[str, list[Picture]] = {}

    def join(self, one: Picture, other: Picture) -> None:
        """Let two be in the same group."""
        first = self._group.setdefault(one.id, [one])
        second = self._group.setdefault(other.id, [other])
        if first is second:
            return
        first.extend(second)
        for picture in second:
            self._group[picture.id] = first

    def all(self) -> list[list[Picture]]:
        """Return each group once."""
        return list({id(group): group for group in self._group.values()}.values())
