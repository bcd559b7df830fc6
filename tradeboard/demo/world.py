"""Fill an empty board: people, cards, listings, trades, and what came of them.

Everything is done by the services, at instants that are counted back from the moment
of seeding, and in one transaction: a seeding that is interrupted leaves nothing in the
database, so that it can simply be done again. Any account at all means that the board
has been filled or is in use, and then it is left alone.
"""

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

from flask import current_app
from sqlalchemy import func, select, text

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.blacklist.models import Entry
from tradeboard.core import photo_store
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.demo import (
    appealed,
    board,
    desk,
    ended,
    held,
    lists,
    news,
    past,
    running,
)
from tradeboard.demo.people import HIIRAGI, KUSUNOKI, MINATO, PASSWORD, PEOPLE
from tradeboard.demo.pictures import Pictures
from tradeboard.demo.scene import Scene, secret_of
from tradeboard.listings.models import Listing, Photo
from tradeboard.notifications import services as notifications
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades.models import Trade

FILE = "demo-accounts.json"
FIRST = (MINATO, HIIRAGI, KUSUNOKI)
A_TICK = timedelta(seconds=15)
STILL_TO_SEND = timedelta(hours=1)


def seed(now: datetime) -> dict[str, int]:
    """Fill the board and return what there is; an empty answer if it was not empty.

    The file with the passwords is written anew whenever it is missing.
    """
    if _is_filled():
        _keep_passwords(only_if_missing=True)
        return {}
    store = photo_store.of(current_app.config)
    with tempfile.TemporaryDirectory() as folder:
        pictures = Pictures(Path(folder), store)
        with transaction():
            if _is_filled():
                return {}
            _take_time()
            play(Scene(now, pictures))
    _keep_passwords()
    return counts()


def play(scene: Scene) -> None:
    """Let everything happen, in the caller's transaction."""
    scene.begin()
    for stories in (past, board, lists, ended, appealed, running, held, desk, news):
        stories.tell(scene)
    scene.diary.play()
    _deliver(scene.now - STILL_TO_SEND)
    news.forget_old(scene.now)


def counts() -> dict[str, int]:
    """Count what there is."""
    models = {
        "accounts": Account,
        "listings": Listing,
        "photos": Photo,
        "trades": Trade,
        "entries": Entry,
        "mails": OutboxMail,
    }
    return {name: _count(model) for name, model in models.items()}


def states() -> dict[str, Counter[str]]:
    """Count listings, trades and entries by state."""
    return {
        name: Counter(db.session.scalars(select(model.state)))
        for name, model in (("listing", Listing), ("trade", Trade), ("entry", Entry))
    }


def _is_filled() -> bool:
    return db.session.scalar(select(Account.id).limit(1)) is not None


def _take_time() -> None:
    """Let PostgreSQL wait between two statements as long as a slow machine needs."""
    if db.engine.dialect.name == "postgresql":
        db.session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))


def _count(model) -> int:
    return db.session.scalar(select(func.count()).select_from(model)) or 0


def _deliver(until: datetime) -> None:
    """Let the mails of long ago have been delivered a tick after they were queued."""
    old = select(OutboxMail).where(OutboxMail.queued_at < until)
    with db.session.no_autoflush:
        for mail in db.session.scalars(old).all():
            notifications.mark_sent(mail.id, now=mail.queued_at + A_TICK)


def _keep_passwords(*, only_if_missing: bool = False) -> None:
    """Write who can sign in to a file that the operator alone reads."""
    path = Path(current_app.instance_path) / FILE
    if only_if_missing and path.exists():
        return
    known = {account.handle: account for account in _seeded()}
    people = [*FIRST, *(p.handle for p in PEOPLE if p.handle not in FIRST)]
    found = [_facts(known[handle]) for handle in people if handle in known]
    if not found:
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump(found, out, ensure_ascii=False, indent=1)
    part.replace(path)


def _seeded() -> Iterable[Account]:
    """Return the invented people who are still called as they were."""
    emails = {person.email for person in PEOPLE}
    return db.session.scalars(select(Account).where(Account.email.in_(emails)))


def _facts(account: Account) -> dict[str, str | None]:
    has_factor = accounts.find_totp(account.id) is not None
    return {
        "handle": account.handle,
        "email": account.email,
        "password": PASSWORD,
        "role": account.role.value,
        "totp_secret": secret_of(account.id) if has_factor else None,
    }
