"""The daily mail: what came since the last one and is still unread."""

from datetime import datetime

from tradeboard.core.db import db
from tradeboard.notifications import queries, rules
from tradeboard.notifications.models import DigestMark
from tradeboard.notifications.rules.digests import MOST_LINES
from tradeboard.notifications.services.queueing import Reader, queue_mail


def send_digest(reader: Reader, *, now: datetime) -> bool:
    """Queue today's daily mail, once; tell whether there was anything to tell."""
    due = rules.due_since(now)
    mark = db.session.get(DigestMark, reader.id)
    if mark is not None and mark.told_at >= due:
        return False
    found = queries.for_digest(reader.id, after=mark.told_notice if mark else 0)
    if mark is None:
        mark = DigestMark(account_id=reader.id, told_notice=0)
        db.session.add(mark)
    mark.told_at = now
    if not found:
        return False
    mark.told_notice = found[0].id
    shown = [{"template": n.template, "facts": n.facts} for n in found[:MOST_LINES]]
    queue_mail(
        reader,
        rules.DIGEST,
        key=f"digest:{reader.id}:{due:%Y%m%d}",
        now=now,
        count=len(found),
        notices=shown,
    )
    return True
