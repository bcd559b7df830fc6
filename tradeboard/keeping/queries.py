"""Read how the backups go."""

from datetime import datetime

from sqlalchemy import select

from tradeboard.core.db import db
from tradeboard.core.records import dataclass
from tradeboard.keeping import rules
from tradeboard.keeping.models import BackupRun, Kind


@dataclass(frozen=True)
class Kept:
    """The last backup and the last trial, and those that went well."""

    backup: BackupRun | None
    backup_ok: BackupRun | None
    proof: BackupRun | None
    proof_ok: BackupRun | None

    def is_used(self, now: datetime) -> bool:
        """Tell whether this board makes backups by itself, or did until lately."""
        return self.backup is not None and now - self.backup.at < rules.FORGOTTEN_AFTER

    def is_late(self, now: datetime) -> bool:
        """Tell whether the last good backup or trial is too long ago."""
        return any(
            rules.is_late(run.at if run else None, now)
            for run in (self.backup_ok, self.proof_ok)
        )


def kept() -> Kept:
    """Return how the backups go."""
    return Kept(
        backup=last(Kind.BACKUP),
        backup_ok=last(Kind.BACKUP, ok=True),
        proof=last(Kind.PROOF),
        proof_ok=last(Kind.PROOF, ok=True),
    )


def last(kind: Kind, *, ok: bool = False) -> BackupRun | None:
    """Return the last run of a kind, or the last that went well."""
    found = select(BackupRun).where(BackupRun.kind == kind)
    if ok:
        found = found.where(BackupRun.ok.is_(True))
    return db.session.scalar(found.order_by(BackupRun.at.desc()).limit(1))
