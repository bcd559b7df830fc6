"""Read what was said before, for the desk."""

from collections.abc import Sequence

from sqlalchemy import select

from tradeboard.core.db import db
from tradeboard.core.errors import NotFound
from tradeboard.site.models import Announcement, HelpVersion, SettingChange

MOST = 50


def setting_history(*, limit: int = MOST) -> Sequence[SettingChange]:
    """Return the changes of settings, the newest first."""
    return db.session.scalars(
        select(SettingChange).order_by(SettingChange.id.desc()).limit(limit)
    ).all()


def announcements(*, limit: int = MOST) -> Sequence[Announcement]:
    """Return what was and will be announced, the newest first."""
    return db.session.scalars(
        select(Announcement).order_by(Announcement.id.desc()).limit(limit)
    ).all()


def get_announcement(announcement_id: int) -> Announcement:
    """Return one announcement, or raise NotFound."""
    found = db.session.get(Announcement, announcement_id)
    if found is None:
        raise NotFound("このお知らせは見つかりません。")
    return found


def newest_help(slug: str, language: str) -> HelpVersion | None:
    """Return what an admin wrote last of a help page, or None."""
    return db.session.scalar(
        select(HelpVersion)
        .where(HelpVersion.slug == slug, HelpVersion.language == language)
        .order_by(HelpVersion.number.desc())
        .limit(1)
    )


def get_help_version(slug: str, language: str, number: int) -> HelpVersion:
    """Return one version of a help page, or raise NotFound."""
    found = db.session.scalar(
        select(HelpVersion).where(
            HelpVersion.slug == slug,
            HelpVersion.language == language,
            HelpVersion.number == number,
        )
    )
    if found is None:
        raise NotFound("この版は見つかりません。")
    return found


def help_history(
    slug: str, language: str, *, limit: int = MOST
) -> Sequence[HelpVersion]:
    """Return the versions of a help page, the newest first."""
    return db.session.scalars(
        select(HelpVersion)
        .where(HelpVersion.slug == slug, HelpVersion.language == language)
        .order_by(HelpVersion.number.desc())
        .limit(limit)
    ).all()
