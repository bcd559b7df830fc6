"""Say something of the site; all that was said before stays in its history.

Who may, and the audit log, are the desk's: this knows no accounts.
"""

from datetime import datetime

from sqlalchemy import select

from tradeboard.core.db import db
from tradeboard.core.errors import Conflict, RuleBroken
from tradeboard.site import queries, rules
from tradeboard.site.models import Announcement, HelpVersion, SettingChange
from tradeboard.site.rules import Key, Level


def change(key: Key, value: str, *, by_id: int, now: datetime) -> tuple[str, str]:
    """Give a setting a value; return the former one and the new one."""
    value = value.strip()
    if key in rules.CHOICES and value not in rules.CHOICES[key]:
        raise RuleBroken("どれかを選んでください。", field=key.value)
    if not rules.is_possible(key, value):
        raise RuleBroken("%(n)s字までです。", field=key.value, n=rules.LONGEST[key])
    before = _value_of(key)
    if value != before:
        db.session.add(SettingChange(key=key.value, value=value, by_id=by_id, at=now))
    return before, value


def _value_of(key: Key) -> str:
    newest = db.session.scalar(
        select(SettingChange.value)
        .where(SettingChange.key == key.value)
        .order_by(SettingChange.id.desc())
        .limit(1)
    )
    return getattr(rules.Settings(), key.value) if newest is None else newest


def announce(
    level: Level,
    text_ja: str,
    text_en: str,
    *,
    starts_at: datetime,
    ends_at: datetime,
    by_id: int,
    now: datetime,
) -> Announcement:
    """Let something stand above every page from then until then."""
    for field, text in (("text_ja", text_ja), ("text_en", text_en)):
        if not text.strip():
            raise RuleBroken("両方の言語で書いてください。", field=field)
        if len(text) > rules.LONGEST_ANNOUNCEMENT:
            most = rules.LONGEST_ANNOUNCEMENT
            raise RuleBroken("%(n)s字までです。", field=field, n=most)
    check_time(starts_at, ends_at, now)
    announcement = Announcement(
        level=level,
        text_ja=text_ja.strip(),
        text_en=text_en.strip(),
        starts_at=starts_at,
        ends_at=ends_at,
        by_id=by_id,
        made_at=now,
    )
    db.session.add(announcement)
    db.session.flush()
    return announcement


def check_time(starts_at: datetime, ends_at: datetime, now: datetime) -> None:
    """Refuse a time that is no time, has passed, or lasts too long."""
    if ends_at <= starts_at:
        raise RuleBroken("終わりは始まりより後にしてください。", field="ends")
    if ends_at <= now:
        raise RuleBroken("終わりは、いまより後にしてください。", field="ends")
    if ends_at - starts_at > rules.LONGEST_SHOWN:
        days = rules.LONGEST_SHOWN.days
        raise RuleBroken("%(n)s日までにしてください。", field="ends", n=days)


def end_early(announcement_id: int, *, now: datetime) -> Announcement:
    """Take an announcement off the pages now."""
    announcement = queries.get_announcement(announcement_id)
    if announcement.ends_at <= now:
        raise Conflict("このお知らせは、もう終わっています。")
    announcement.starts_at = min(announcement.starts_at, now)
    announcement.ends_at = now
    return announcement


def write_help(
    slug: str, language: str, text: str, *, by_id: int, now: datetime
) -> HelpVersion:
    """Give a help page a text; an empty one brings back what came with the board."""
    if len(text) > rules.LONGEST_HELP:
        raise RuleBroken("%(n)s字までです。", field="text", n=rules.LONGEST_HELP)
    if text and not text.startswith("# "):
        text_rule = "1行目は「# 」で始まる見出しにしてください。"
        raise RuleBroken(text_rule, field="text")
    newest = queries.newest_help(slug, language)
    version = HelpVersion(
        slug=slug,
        language=language,
        number=newest.number + 1 if newest else 1,
        text=text,
        by_id=by_id,
        at=now,
    )
    db.session.add(version)
    db.session.flush()
    return version
