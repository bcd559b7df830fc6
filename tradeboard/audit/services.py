"""Record what somebody did."""

from datetime import datetime
from typing import Any

from tradeboard.audit.models import AuditRow
from tradeboard.core.db import db


def record(
    action: str, object: str, *, by_id: int | None, now: datetime, **body: Any
) -> None:
    """Add a row in the caller's transaction; `by_id` is None when time acted.

    `object` reads `entry:12`; `body` holds ids and codes, never personal data.
    """
    db.session.add(
        AuditRow(at=now, actor_id=by_id, action=action, object=object, body=body)
    )
