"""What people said of their trades: shown, waiting, hidden, and long ago."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import insert, select

from tradeboard.accounts.models import Account
from tradeboard.accounts.services import record
from tradeboard.core import drafts
from tradeboard.core.db import db
from tradeboard.demo import people as who
from tradeboard.demo.deal import Deal
from tradeboard.demo.scene import Scene
from tradeboard.feedback import queries, rules, services
from tradeboard.feedback.models import Feedback
from tradeboard.feedback.rules import Grade
from tradeboard.trades.models import Trade

DAY = timedelta(days=1)
EVERY = 3
GRADES = (*[Grade.GOOD] * 8, Grade.FAIR, *[Grade.GOOD] * 9, Grade.BAD)
TAGS: tuple[list[str], ...] = (
    ["packing"],
    ["quick", "replies"],
    [],
    ["as_described"],
    ["call"],
)
WORDS = {
    "ja": ("ていねいな取引をありがとうございました。", "", "連絡が早くて安心でした。"),
    "en": (
        "Everything as described, thank you.",
        "",
        "Careful packing, quick replies.",
    ),
}


def long_ago(trades: list[Trade]) -> None:
    """Let both have said of some old trades how they were."""
    chosen = trades[::EVERY]
    rows = [
        _row(n, trade, by, about)
        for n, trade in enumerate(chosen)
        for by, about in (
            (trade.poster, trade.proposer),
            (trade.proposer, trade.poster),
        )
    ]
    db.session.execute(insert(Feedback), rows)


def count_all() -> None:
    """Write how often each person got which grade."""
    for account_id in db.session.scalars(select(Feedback.about_id).distinct()).all():
        record.keep_grades(account_id, queries.summary_of(account_id))


def _row(n: int, trade: Trade, by: Account, about: Account) -> dict[str, Any]:
    place = n + by.id * 5
    assert trade.ended_at is not None
    written = trade.ended_at + DAY
    return {
        "trade_id": trade.id,
        "by_id": by.id,
        "about_id": about.id,
        "grade": GRADES[place % len(GRADES)],
        "tags": TAGS[place % len(TAGS)],
        "words": WORDS[by.language][place % len(WORDS[by.language])],
        "written_at": written,
        "reveal_at": rules.reveal_at(written),
        "shown_at": written + DAY,
    }


def rated(
    deal: Deal, handle: str, at: datetime, grade: str, words: str = "", *tags: str
) -> None:
    """Let somebody say how a trade was."""
    deal.scene.let(
        handle,
        at,
        lambda by, now: services.write(deal.id, grade, tags, words, by=by, now=now),
    )


def begun(deal: Deal, handle: str, at: datetime, grade: str, words: str) -> None:
    """Let somebody begin to say how a trade was, and leave it for now."""
    typed = {"grade": grade, "tags": [], "words": words}
    deal.scene.let(
        handle,
        at,
        lambda by, now: drafts.keep(by.id, queries.DRAFT, deal.id, typed, now=now),
    )


def revealed(deal: Deal, at: datetime) -> None:
    """Let time show what one side wrote."""
    deal.scene.diary.on(at, lambda now: services.reveal(deal.id, now=now))


def hidden(scene: Scene, deal: Deal, writer: str, at: datetime) -> None:
    """Let a moderator hide what somebody wrote."""

    def hide(by: Account, now: datetime) -> None:
        [row] = [
            row
            for row in queries.of_trade(deal.id)
            if row.by_id == scene.person(writer).id
        ]
        services.hide_words(row.id, "unrelated", by=by, now=now)

    scene.let(who.HIIRAGI, at, hide)
