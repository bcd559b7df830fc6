"""Tables of the site; each keeps its whole history."""

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.core.db import db
from tradeboard.site.rules import Level


class SettingChange(db.Model):
    """Somebody gave a setting a value; the newest one holds."""

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str]
    value: Mapped[str]
    by_id: Mapped[int]
    at: Mapped[datetime]

    __table_args__ = (Index(None, "key", "id"),)


class Announcement(db.Model):
    """What stands above every page for a while, in both languages."""

    id: Mapped[int] = mapped_column(primary_key=True)
    level: Mapped[Level]
    text_ja: Mapped[str]
    text_en: Mapped[str]
    starts_at: Mapped[datetime]
    ends_at: Mapped[datetime] = mapped_column(index=True)
    by_id: Mapped[int]
    made_at: Mapped[datetime]


class HelpVersion(db.Model):
    """The text of a help page in one language, as an admin wrote it in Markdown."""

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str]
    language: Mapped[str]
    number: Mapped[int]
    text: Mapped[str]
    by_id: Mapped[int]
    at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("slug", "language", "number"),)
