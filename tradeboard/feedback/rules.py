"""Grades, tags and the clock of feedback."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from tradeboard.core.errors import RuleBroken
from tradeboard.core.messages import message
from tradeboard.core.records import dataclass
from tradeboard.trades.rules.records import groups
from tradeboard.trades.rules.states import TradeState

REVEALED_AFTER = timedelta(days=14)
WRITTEN_WITHIN = timedelta(days=30)
LONGEST_WORDS = 200
MOST_TAGS = 4

# Whoever is said of does not want the own number on a public page.
LONG_NUMBER, SPACES = re.compile("[0-9]{9}"), re.compile(r"[\s‐‑–—―−ー()-]")

# A parcel that never came is said of, too: by both, neither sees the other's first.
WRITTEN_IN = frozenset({TradeState.RECEIVED, TradeState.DEFAULTED})


class Grade(StrEnum):
    """How a trade was, in one word."""

    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"


class HideReason(StrEnum):
    """Why moderators hide the words of feedback; the grade stays."""

    PERSONAL = "personal"
    INSULT = "insult"
    UNRELATED = "unrelated"


GRADES = {
    Grade.GOOD: message("良い"),
    Grade.FAIR: message("ふつう"),
    Grade.BAD: message("悪い"),
}
TAGS = {
    "packing": message("梱包がていねい"),
    "quick": message("発送が早い"),
    "replies": message("返事が早い"),
    "as_described": message("状態が説明のとおり"),
    "call": message("電話がスムーズ"),
    "slow": message("発送に時間がかかった"),
    "quiet": message("返事に時間がかかった"),
    "loose": message("梱包が足りなかった"),
    "differs": message("状態が説明と違った"),
}
HIDE_REASONS = {
    HideReason.PERSONAL: message("個人の情報が書かれている"),
    HideReason.INSULT: message("人を傷つける言葉が書かれている"),
    HideReason.UNRELATED: message("取引と関係のないことが書かれている"),
}

# From the best to the worst.
RANKED = (Grade.GOOD, Grade.FAIR, Grade.BAD)


@dataclass(frozen=True)
class Summary:
    """How often people said which grade; each partner counts once in 30 days."""

    good: int = 0
    fair: int = 0
    bad: int = 0


def reveal_at(written_at: datetime) -> datetime:
    """Return when feedback is shown though the other side has not written."""
    return written_at.astimezone(UTC) + REVEALED_AFTER


def write_until(ended_at: datetime) -> datetime:
    """Return from when on nobody writes about a trade any more."""
    return ended_at.astimezone(UTC) + WRITTEN_WITHIN


def check(grade: str | None, tags: Iterable[str], words: str) -> None:
    """Refuse what is not on the lists, and words that are too long."""
    if grade not in set(Grade):
        raise RuleBroken("評価を選んでください。", field="grade")
    chosen = list(tags)
    if len(chosen) > MOST_TAGS:
        raise RuleBroken("タグは%(n)sつまでです。", field="tags", n=MOST_TAGS)
    if not set(chosen) <= set(TAGS):
        raise RuleBroken("タグは一覧から選んでください。", field="tags")
    if len(words) > LONGEST_WORDS:
        raise RuleBroken("%(n)s字までです。", field="words", n=LONGEST_WORDS)
    if LONG_NUMBER.search(SPACES.sub("", unicodedata.normalize("NFKC", words))):
        raise RuleBroken(
            "電話番号や追跡番号のような長い番号は書けません。番号を消してください。",
            field="words",
        )


def summary(said: Iterable[tuple[int, datetime, Grade]]) -> Summary:
    """Count grades by partner, instant and grade: of one pair the worst in 30 days."""
    worst = [max(group, key=RANKED.index) for group in groups(said)]
    return Summary(*(worst.count(grade) for grade in RANKED))
