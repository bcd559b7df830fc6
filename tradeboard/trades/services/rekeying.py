"""Bring what trades keep under the key in use."""

import logging

from sqlalchemy import and_, or_, select, update

from tradeboard.core import batches, keyring, sealed
from tradeboard.core.batches import Batch
from tradeboard.core.db import changed, db
from tradeboard.core.keyring import KeyMissing
from tradeboard.trades import queries
from tradeboard.trades.models import PhoneSide, Trade
from tradeboard.trades.queries.keys import HAS_WORDS

log = logging.getLogger(__name__)

SEALED = (PhoneSide.number, PhoneSide.address)


def reseal(*, after: int = 0, limit: int = batches.SIZE) -> Batch | None:
    """Seal numbers and addresses anew, those of some rows; None when none is left.

    A value that somebody changes meanwhile is left to whoever did so.
    """
    in_use = sealed.prefix(keyring.ring().kid("personal-data"))
    others = [
        and_(column.is_not(None), ~column.startswith(in_use, autoescape=True))
        for column in SEALED
    ]
    found = (
        select(PhoneSide.id, PhoneSide.trade_id, PhoneSide.account_id, *SEALED)
        .where(PhoneSide.id > after, or_(*others))
        .order_by(PhoneSide.id)
        .limit(limit)
    )
    rows = db.session.execute(found).all()
    if not rows:
        return None
    moved = sum(_reseal(row, column, in_use) for row in rows for column in SEALED)
    return Batch(moved, rows[-1].id)


def _reseal(row, column, in_use: str) -> int:
    value = getattr(row, column.key)
    if value is None or value.startswith(in_use):
        return 0
    try:
        new = sealed.reseal(value, cell=f"{queries.phone_cell(row)}.{column.key}")
    except (KeyMissing, sealed.exceptions.InvalidTag):
        log.error("the %s of phone side %s does not open", column.key, row.id)
        return 0
    same = (PhoneSide.id == row.id, column == value)
    return changed(update(PhoneSide).where(*same).values({column.key: new}))


def name_words_key(kid: str) -> int:
    """Write down the key of running words that name none, before another follows."""
    unnamed = update(Trade).where(Trade.words_kid.is_(None), *HAS_WORDS)
    return changed(unnamed.values(words_kid=kid))


def move_number(canonical: str) -> int:
    """Bring every hash of a number that is sealed now under the key in use.

    So all hashes of one number are always of one key, and two of them can be compared
    without knowing the number. Entries and watches keep theirs.
    """
    ring = keyring.ring()
    in_use, *older = ring.kids("phone")
    if not older:
        return 0
    known = [keyring.mac_hex("phone", canonical, kid) for kid in older]
    return changed(
        update(PhoneSide)
        .where(PhoneSide.number_hash.in_(known))
        .values(
            number_hash=keyring.mac_hex("phone", canonical, in_use), number_kid=in_use
        )
    )
