"""What can be reported, why, and how a report ends."""

from datetime import datetime, timedelta
from enum import StrEnum

from tradeboard.core.messages import Message, message

LONGEST_WORDS = 1000
LONGEST_SENTENCE = 300
LONGEST_REMARK = 1000
CLAIM_LAPSES_AFTER = timedelta(minutes=15)
AROUND = 5
# Whoever was told this often, in this time, that nothing came of it, weighs less.
MOST_IN_VAIN = 3
IN_VAIN_FOR = timedelta(days=90)


class Subject(StrEnum):
    """What a report is about."""

    LISTING = "listing"
    MESSAGE = "message"
    PERSON = "person"


class Reason(StrEnum):
    """Why something is reported."""

    RULES = "rules"
    SPAM = "spam"
    HARASSMENT = "harassment"
    CONTACT = "contact"
    PHOTO = "photo"
    OTHER = "other"


class ReportState(StrEnum):
    """Whether somebody has answered."""

    OPEN = "open"
    SETTLED = "settled"


class Outcome(StrEnum):
    """What came of a report."""

    NOTHING = "nothing"
    HIDDEN = "hidden"
    WARNED = "warned"
    SUSPENDED = "suspended"


class Which(StrEnum):
    """Which reports a moderator looks at."""

    OPEN = "open"
    MINE = "mine"
    SETTLED = "settled"


REPORT = {(ReportState.OPEN, "settle"): ReportState.SETTLED}

REASONS: dict[Reason, Message] = {
    Reason.RULES: message("トレードのルールに合わない"),
    Reason.SPAM: message("同じ投稿や宣伝のくり返し"),
    Reason.HARASSMENT: message("いやな言葉やしつこい連絡"),
    Reason.CONTACT: message("掲示板の外での取引や連絡への誘い"),
    Reason.PHOTO: message("写真が本人のものでない、または品物と違う"),
    Reason.OTHER: message("そのほか"),
}

OUTCOMES: dict[Outcome, Message] = {
    Outcome.NOTHING: message("何もしない"),
    Outcome.HIDDEN: message("募集を非表示にする"),
    Outcome.WARNED: message("警告する"),
    Outcome.SUSPENDED: message("停止する"),
}

SUBJECTS: dict[Subject, Message] = {
    Subject.LISTING: message("募集について"),
    Subject.MESSAGE: message("メッセージについて"),
    Subject.PERSON: message("会員について"),
}

# As what a suspension stands in the member's own page.
SUSPENDED_FOR = {
    Reason.RULES: "terms",
    Reason.SPAM: "terms",
    Reason.HARASSMENT: "harassment",
    Reason.CONTACT: "safety",
    Reason.PHOTO: "record",
    Reason.OTHER: "terms",
}

SUSPENSION_DAYS = (7, 30, 90)


def possible(subject: Subject) -> list[Outcome]:
    """Return how a report can end: only a listing can be hidden."""
    return [
        outcome
        for outcome in Outcome
        if outcome is not Outcome.HIDDEN or subject is Subject.LISTING
    ]


def is_live(claimed_at: datetime | None, now: datetime) -> bool:
    """Tell whether somebody is still at it: idle for 15 minutes, a claim lapses."""
    return claimed_at is not None and claimed_at > now - CLAIM_LAPSES_AFTER
