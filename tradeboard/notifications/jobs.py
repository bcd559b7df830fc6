"""Send what is queued, and forget what has been sent long ago."""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta

from flask import current_app

from tradeboard.core import heartbeat
from tradeboard.core.sweep import Swept, sweep, until_none
from tradeboard.core.transaction import transaction
from tradeboard.notifications import mailer, queries, rules, services

log = logging.getLogger(__name__)

# One run ends in time for its next tick; what is left waits for that.
LONGEST_RUN = timedelta(seconds=30)


def deliver_outbox(now: datetime) -> Swept:
    """Send each mail whose try has come; one that fails stops no other.

    Without a server, mail waits. In the demo it counts as delivered: it is read there
    on a page.
    """
    swept = Swept()
    config = current_app.config
    if not config["SMTP_HOST"] and not config["DEMO"]:
        return swept
    since = _time_since(now)
    with mailer.Post() as post:
        send = post.send if config["SMTP_HOST"] else _keep
        for mail_id in queries.due_ids(now):
            heartbeat.beat()
            if since() > now + LONGEST_RUN:
                break
            try:
                _deliver(mail_id, send, since, swept)
            except mailer.Unreachable:
                break
    return swept


def _deliver(
    mail_id: int,
    send: Callable[[mailer.Letter], None],
    since: Callable[[], datetime],
    swept: Swept,
) -> None:
    """Claim one mail, send it with no transaction open, and note what came of it."""
    with transaction():
        mail = services.claim(mail_id, now=since())
    if mail is None:
        return
    try:
        send(mail)
    except Exception as error:
        swept.failed += 1
        log.warning("mail %s did not leave: %s", mail_id, type(error).__name__)
        for_good = isinstance(error, mailer.Rejected)
        with transaction():
            services.mark_failed(mail_id, _words(error), now=since(), for_good=for_good)
        if isinstance(error, mailer.Unreachable):
            raise
        return
    with transaction():
        services.mark_sent(mail_id, now=since())
    swept.done += 1


def _keep(mail: mailer.Letter) -> None:
    """Deliver to nobody, but find out whether the text can be made."""
    mailer.compose(mail)


def _words(error: Exception) -> str:
    known = isinstance(error, mailer.Rejected | mailer.Unreachable)
    return str(error) if known else f"{type(error).__name__}: {error}"


def _time_since(now: datetime) -> Callable[[], datetime]:
    """Return a clock that starts at `now`: a claim must not be old when it is made."""
    started = time.monotonic()
    return lambda: now + timedelta(seconds=time.monotonic() - started)


def forget_mail(now: datetime) -> Swept:
    """Empty mails whose text has been kept for 30 days."""
    return sweep(queries.old_text_ids(now), services.forget_text, now=now)


def forget_notices(now: datetime) -> int:
    """Delete notices 90 days after they were given, some in each transaction."""
    before = now - rules.NOTICES_KEPT
    return until_none(lambda: services.forget_notices(before=before))
