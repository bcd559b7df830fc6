"""Tables of the terms."""

from datetime import datetime

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from tradeboard.accounts.models import Account
from tradeboard.core.db import db


class TermsVersion(db.Model):
    """One version of the terms in both languages, as Markdown."""

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    published_at: Mapped[datetime]
    text_ja: Mapped[str]
    text_en: Mapped[str]


class Agreement(db.Model):
    """A person agreed to a version of the terms (B-06)."""

    id: Mapped[int] = mapped_column(primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    number: Mapped[int] = mapped_column(ForeignKey(TermsVersion.number))
    agreed_at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("account_id", "number"),)
