"""Publish terms and agree to them."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from sqlalchemy import select

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, NotAllowed
from tradeboard.notifications.services import queue_mail
from tradeboard.terms import queries, rules
from tradeboard.terms.models import Agreement, TermsVersion

TEXTS = Path(__file__).parent / "texts"
FIRST = 1


def require(by: Account) -> int:
    """Let only somebody pass who agreed to the version in force; return it (B-06).

    A board without any terms has version 0, to which nobody needs to agree.
    """
    newest, agreed = queries.numbers_for(by.id)
    refuse_due(newest, agreed)
    return newest or 0


def require_agreed(by: Account) -> int | None:
    """Let only pass who agreed to the version in force; return what they agreed to."""
    newest, agreed = queries.numbers_for(by.id)
    refuse_due(newest, agreed)
    return agreed


def agree(by: Account, number: int, now: datetime) -> Agreement:
    """Record that a person agreed to the version in force; twice is once."""
    if number != queries.newest_number():
        raise Conflict(
            "規約が新しい版に変わりました。新しい版をお読みになってください。"
        )
    known = db.session.scalar(
        select(Agreement).where(
            Agreement.account_id == by.id, Agreement.number == number
        )
    )
    if known is not None:
        return known
    agreement = Agreement(account_id=by.id, number=number, agreed_at=now)
    db.session.add(agreement)
    return agreement


def publish(text_ja: str, text_en: str, now: datetime) -> TermsVersion:
    """Put the next version in force, in both languages."""
    version = TermsVersion(
        number=(queries.newest_number() or 0) + 1,
        published_at=now,
        text_ja=text_ja,
        text_en=text_en,
    )
    db.session.add(version)
    db.session.flush()
    return version


def publish_packaged(now: datetime) -> TermsVersion | None:
    """Put the terms that come with the board in force, if there are none yet."""
    if queries.newest_number() is not None:
        return None
    return publish(packaged_text("ja"), packaged_text("en"), now)


def packaged_text(language: str, number: int = FIRST) -> str:
    """Return the text that comes with the board."""
    return (TEXTS / f"{number}.{language}.md").read_text(encoding="utf-8")


def is_told_of(version: TermsVersion, now: datetime) -> bool:
    """Tell whether members get a mail: of a second version, for some days."""
    return version.number > FIRST and now - version.published_at <= rules.TOLD_FOR


def tell_of_version(number: int, account_ids: Sequence[int], *, now: datetime) -> None:
    """Tell members that a version is in force; the same person once."""
    version = queries.get_version(number)
    for account_id in account_ids:
        queue_mail(
            accounts.get_account(account_id),
            "terms/mail/new_version.txt",
            key=f"terms:{number}:{account_id}",
            now=now,
            number=number,
            published=version.published_at,
        )


def refuse_due(newest: int | None, agreed: int | None) -> None:
    """Refuse whoever has not agreed to the version in force (B-06)."""
    if rules.is_due(newest, agreed):
        raise NotAllowed(
            "いまの利用規約に同意すると、この操作ができます。"
            "書いた内容は下書きに残っています。"
        )
