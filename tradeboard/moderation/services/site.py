"""What admins say of the site: only they may, and each act is in the audit log."""

from collections.abc import Mapping
from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.rules.permissions import Act
from tradeboard.accounts.services import reasons
from tradeboard.audit.services import record
from tradeboard.core import drafts
from tradeboard.core.errors import NotAllowed, RuleBroken
from tradeboard.site import services as site
from tradeboard.site.models import Announcement, HelpVersion
from tradeboard.site.rules import Key, Level
from tradeboard.terms import services as terms
from tradeboard.terms.models import TermsVersion

TERMS_DRAFT = "terms"
LONGEST_TERMS = 60_000


def change_settings(
    values: Mapping[Key, str], why: str, *, by: Account, now: datetime
) -> int:
    """Give settings their values; return how many were changed. Staff is told why."""
    _require(Act.CHANGE_SETTINGS, by)
    reasons.give(Act.CHANGE_SETTINGS, "site", why, by=by, now=now)
    changed = 0
    for key, value in values.items():
        old, new = site.change(key, value, by_id=by.id, now=now)
        if old != new:
            changed += 1
            about = f"setting:{key.value}"
            record("setting.changed", about, by_id=by.id, now=now, old=old, new=new)
    return changed


def announce(
    level: Level,
    text_ja: str,
    text_en: str,
    why: str,
    *,
    starts_at: datetime,
    ends_at: datetime,
    by: Account,
    now: datetime,
) -> Announcement:
    """Let something stand above every page for a while. Staff is told why."""
    _require(Act.ANNOUNCE, by)
    made = site.announce(
        level,
        text_ja,
        text_en,
        starts_at=starts_at,
        ends_at=ends_at,
        by_id=by.id,
        now=now,
    )
    about = f"announcement:{made.id}"
    reasons.give(Act.ANNOUNCE, about, why, by=by, now=now)
    record("announced", about, by_id=by.id, now=now)
    return made


def end_announcement(
    announcement_id: int, why: str, *, by: Account, now: datetime
) -> None:
    """Take an announcement off the pages before its end. Staff is told why."""
    _require(Act.ANNOUNCE, by)
    site.end_early(announcement_id, now=now)
    about = f"announcement:{announcement_id}"
    reasons.give(Act.ANNOUNCE, about, why, by=by, now=now)
    record("announcement.ended", about, by_id=by.id, now=now)


def write_help(
    slug: str, language: str, text: str, why: str, *, by: Account, now: datetime
) -> HelpVersion:
    """Give a help page a text; an empty one brings back what came with the board.

    Staff is told why.
    """
    _require(Act.WRITE_HELP, by)
    version = site.write_help(slug, language, text, by_id=by.id, now=now)
    about = f"help:{slug}"
    reasons.give(Act.WRITE_HELP, about, why, by=by, now=now)
    record(
        "help.written",
        about,
        by_id=by.id,
        now=now,
        language=language,
        number=version.number,
    )
    return version


def publish_terms(
    text_ja: str, text_en: str, why: str, *, by: Account, now: datetime
) -> TermsVersion:
    """Put the next version of the terms in force, and drop its draft; staff is told."""
    _require(Act.PUBLISH_TERMS, by)
    for field, text in (("text_ja", text_ja), ("text_en", text_en)):
        if not text.startswith("# "):
            raise RuleBroken("1行目は「# 」で始まる見出しにしてください。", field=field)
        if len(text) > LONGEST_TERMS:
            raise RuleBroken("%(n)s字までです。", field=field, n=LONGEST_TERMS)
    version = terms.publish(text_ja, text_en, now)
    thing = f"terms:{version.number}"
    reasons.give(Act.PUBLISH_TERMS, thing, why, by=by, now=now)
    drafts.drop(by.id, TERMS_DRAFT, 0)
    record("terms.published", thing, by_id=by.id, now=now)
    return version


def _require(act: Act, by: Account) -> None:
    if not by.may(act):
        raise NotAllowed("この操作ができるのは、管理者だけです。")
