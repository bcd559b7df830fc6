"""What is said and decided about an entry: decisions, evidence, appeals."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from tradeboard.accounts.models import Account
from tradeboard.blacklist.models.entries import Entry
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.core.db import db, partial_index


class Decision(db.Model):
    """What was decided about an entry, by whom and why; `by_id` is null for time."""

    id: Mapped[int] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey(Entry.id), index=True)
    by_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id))
    at: Mapped[datetime]
    decision: Mapped[str]
    reason: Mapped[str]
    sentence: Mapped[str] = mapped_column(default="")

    by: Mapped[Account | None] = relationship(lazy="raise_on_sql")


class Evidence(db.Model):
    """What somebody brought forward about an entry: words, a number, a photo."""

    id: Mapped[int] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey(Entry.id), index=True)
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    at: Mapped[datetime]
    kind: Mapped[str]
    words: Mapped[str] = mapped_column(default="")
    appeal_id: Mapped[int | None] = mapped_column(ForeignKey("appeal.id"), index=True)

    by: Mapped[Account] = relationship(lazy="raise_on_sql")
    files: Mapped[list["EvidenceFile"]] = relationship(
        order_by="EvidenceFile.added_at", lazy="raise_on_sql"
    )


class EvidenceFile(db.Model):
    """A picture that belongs to evidence: the two and staff see it, nobody else."""

    id: Mapped[str] = mapped_column(primary_key=True)
    evidence_id: Mapped[int] = mapped_column(ForeignKey(Evidence.id), index=True)
    width: Mapped[int]
    height: Mapped[int]
    added_at: Mapped[datetime]


class EvidenceRequest(db.Model):
    """A moderator asks one of the two to bring something forward by a day."""

    id: Mapped[int] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey(Entry.id), index=True)
    to_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id))
    words: Mapped[str]
    made_at: Mapped[datetime]
    due_at: Mapped[datetime]
    answered_at: Mapped[datetime | None]

    to: Mapped[Account] = relationship(foreign_keys=[to_id], lazy="raise_on_sql")
    by: Mapped[Account] = relationship(foreign_keys=[by_id], lazy="raise_on_sql")


class Appeal(db.Model):
    """The listed person asks another moderator to look again; one is open at a time.

    `sole` tells that nobody but who upheld could decide it.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey(Entry.id))
    by_link: Mapped[bool] = mapped_column(default=False)
    words: Mapped[str]
    made_at: Mapped[datetime]
    due_at: Mapped[datetime]
    state: Mapped[AppealState]
    hidden_at: Mapped[datetime | None]
    decided_at: Mapped[datetime | None]
    decided_by_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id))
    sole: Mapped[bool] = mapped_column(default=False)
    sentence: Mapped[str] = mapped_column(default="")
    version: Mapped[int] = mapped_column()

    entry: Mapped[Entry] = relationship(lazy="raise_on_sql")
    decided_by: Mapped[Account | None] = relationship(lazy="raise_on_sql")

    __mapper_args__ = {"version_id_col": version}
    __table_args__ = (
        Index(None, "entry_id", "id"),
        partial_index(
            "uq_appeal_one_open", "entry_id", where="state = 'open'", unique=True
        ),
        partial_index("ix_appeal_open", "due_at", "id", where="state = 'open'"),
    )


class AppealLink(db.Model):
    """A way to the own entry without signing in; only the hash of its token is kept."""

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey(Entry.id), index=True)
    made_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class EntryDraft(db.Model):
    """What somebody has written about an entry and not sent yet."""

    id: Mapped[int] = mapped_column(primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey(Entry.id))
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    kind: Mapped[str]
    words: Mapped[str]
    changed_at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("entry_id", "account_id", "kind"),)


class Claim(db.Model):
    """A moderator is at it; it lapses when it has been idle for a while."""

    entry_id: Mapped[int] = mapped_column(ForeignKey(Entry.id), primary_key=True)
    by_id: Mapped[int] = mapped_column(ForeignKey(Account.id), index=True)
    seen_at: Mapped[datetime]

    by: Mapped[Account] = relationship(lazy="raise_on_sql")
