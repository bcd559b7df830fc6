"""Bring the secrets of second factors under the key in use."""

import logging

from sqlalchemy import select, update

from tradeboard.accounts import totp
from tradeboard.accounts.models import Totp
from tradeboard.core import batches, keyring, sealed
from tradeboard.core.batches import Batch
from tradeboard.core.db import changed, db
from tradeboard.core.keyring import KeyMissing

log = logging.getLogger(__name__)


def reseal(*, after: int = 0, limit: int = batches.SIZE) -> Batch | None:
    """Seal the secrets of some accounts anew; None when none is left.

    A secret that somebody replaces meanwhile is left to whoever did so.
    """
    in_use = sealed.prefix(keyring.ring().kid("totp"))
    found = (
        select(Totp.account_id, Totp.secret)
        .where(
            Totp.account_id > after, ~Totp.secret.startswith(in_use, autoescape=True)
        )
        .order_by(Totp.account_id)
        .limit(limit)
    )
    rows = db.session.execute(found).all()
    if not rows:
        return None
    moved = sum(_reseal(row.account_id, row.secret) for row in rows)
    return Batch(moved, rows[-1].account_id)


def _reseal(account_id: int, secret: str) -> int:
    try:
        new = totp.seal(totp.unseal(secret, account_id), account_id)
    except (KeyMissing, sealed.exceptions.InvalidTag):
        log.error("the second factor of account %s does not open", account_id)
        return 0
    same = (Totp.account_id == account_id, Totp.secret == secret)
    return changed(update(Totp).where(*same).values(secret=new))
