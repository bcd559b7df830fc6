"""Choose how mail of a kind comes: on the own page, or by the link in a mail."""

from collections.abc import Mapping
from datetime import datetime

from tradeboard.core.db import db
from tradeboard.core.errors import RuleBroken
from tradeboard.notifications import queries
from tradeboard.notifications.models import DigestMark, MailChoice
from tradeboard.notifications.rules import DAILY_MAIL, Kind, MailMode


def choose(account_id: int, modes: Mapping[str, str], *, now: datetime) -> None:
    """Set how each of these kinds comes."""
    for kind, mode in modes.items():
        if kind not in set(Kind) or mode not in set(MailMode):
            raise RuleBroken("このメールの受け取り方は選べません。", field=kind)
        _set(account_id, Kind(kind), MailMode(mode), now)


def stop(account_id: int, what: str, *, now: datetime) -> None:
    """Switch a kind off, or all kinds that come with the daily mail."""
    kinds = queries.daily_kinds(account_id) if what == DAILY_MAIL else [Kind(what)]
    for kind in kinds:
        _set(account_id, kind, MailMode.OFF, now)


def _set(account_id: int, kind: Kind, mode: MailMode, now: datetime) -> None:
    choice = db.session.get(MailChoice, (account_id, kind.value))
    if choice is None:
        choice = MailChoice(account_id=account_id, kind=kind.value)
        db.session.add(choice)
    elif choice.mode is mode:
        return
    choice.mode, choice.changed_at = mode, now
    if mode is MailMode.DAILY and db.session.get(DigestMark, account_id) is None:
        # The first daily mail comes at its hour, not at once.
        db.session.add(DigestMark(account_id=account_id, told_notice=0, told_at=now))
