"""Read whether the audit log was whole when it was last checked."""

import re
from datetime import datetime

from sqlalchemy import select

from tradeboard.audit.rules import Broken, ChainBroken, Wrong
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.core.records import dataclass

CHECKS = ("verify-audit", "anchor-audit")
BROKEN = re.compile(rf"{ChainBroken.__name__}: ([0-9]{{1,10}}) ([a-z]+)")


@dataclass(frozen=True)
class ChainState:
    """Until which row the log was whole and when; what broke it, what went wrong."""

    seq: int | None
    at: datetime | None
    broken: Broken | None
    trouble: str | None


def chain_state() -> ChainState:
    """Return what the jobs that check the log found."""
    found = select(JobRun).where(JobRun.name.in_(CHECKS))
    runs = {run.name: run for run in db.session.scalars(found)}
    errors = [run.error for name in CHECKS if (run := runs.get(name)) and run.error]
    broken = next((found for found in map(_broken, errors) if found), None)
    last = runs.get(CHECKS[0])
    at = last.ok_at if last else None
    return ChainState(
        seq=last.done if last and at else None,
        at=at,
        broken=broken,
        trouble=errors[0] if errors and broken is None else None,
    )


def _broken(error: str) -> Broken | None:
    found = BROKEN.fullmatch(error)
    return Broken(int(found[1]), Wrong(found[2])) if found else None
