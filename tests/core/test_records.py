"""Dataclasses that are finished late behave like those of the library."""

from dataclasses import FrozenInstanceError, asdict, fields, is_dataclass, replace
from threading import Barrier, Thread

import pytest

from tradeboard.core.records import dataclass


@dataclass(frozen=True)
class Card:
    """A card."""

    name: str
    number: int = 1


@dataclass(frozen=True)
class Graded(Card):
    """A card whose condition is known."""

    grade: str = "A"


class Promo(Card):
    """A card that is no dataclass of its own."""


def test_a_record_is_what_the_library_makes():
    assert Promo("竜", 3).name == "竜"
    assert Card("竜") == Card("竜", 1) != Card("竜", 2)
    assert repr(Graded("竜")) == "Graded(name='竜', number=1, grade='A')"
    assert {Card("竜"), Card("竜")} == {Card("竜", 1)}
    assert asdict(replace(Graded("竜"), number=2)) == {
        "name": "竜",
        "number": 2,
        "grade": "A",
    }
    with pytest.raises(FrozenInstanceError):
        Card("竜").name = "鳥"
    with pytest.raises(TypeError):
        Card()


def test_its_fields_are_known_before_there_is_one():
    @dataclass
    class New:
        word: str

    assert is_dataclass(New)
    assert [field.name for field in fields(New)] == ["word"]
    assert New("竜").word == "竜"


def test_many_may_be_the_first():
    @dataclass(frozen=True)
    class New:
        word: str
        count: int = 0

    made, start = [], Barrier(8)

    def make():
        start.wait()
        made.append(New("竜"))

    threads = [Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert made == [New("竜", 0)] * 8
