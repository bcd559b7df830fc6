"""Numbers and addresses of trades, sealed as the board seals them."""

import base64
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from sqlalchemy import Table, select

from bench.bulk import Bulk
from bench.people import Keys, Person
from tradeboard.core import keyring, sealed
from tradeboard.core.db import db
from tradeboard.trades.models import PhoneSide

ADDRESS = "東京都千代田区一丁目一番 山田"
AT_ONCE = 50_000
TABLE = db.metadata.tables[PhoneSide.__tablename__]


def write(bulk: Bulk, drafts: Table, keys: Keys) -> None:
    """Write both sides of the call of every trade that was laid out."""
    t = drafts.c
    last = 0
    seal = sealer()
    known: dict[int, tuple[str, str, str]] = {}
    wanted = select(t.id, t.poster_id, t.proposer_id, t.called_s).order_by(t.id)
    while True:
        some = bulk.connection.execute(wanted.where(t.id > last).limit(AT_ONCE)).all()
        if not some:
            return
        last = some[-1].id
        rows = _sides(some, keys, seal, known)
        bulk.rows(TABLE, rows)


def sealer() -> Callable[[str, str], str]:
    """Return how to seal a text for a cell as the board does, with the key at hand."""
    ring = keyring.ring()
    kid = ring.kid("personal-data")
    cipher = AESGCM(ring.key("personal-data", kid))
    begins, encode = sealed.prefix(kid), base64.urlsafe_b64encode

    def seal(text: str, cell: str) -> str:
        nonce = os.urandom(12)
        closed = cipher.encrypt(nonce, text.encode(), cell.encode())
        return f"{begins}{encode(nonce).decode()}:{encode(closed).decode()}"

    return seal


def _sides(
    some, keys: Keys, seal, known: dict[int, tuple[str, str, str]]
) -> Iterator[dict]:
    kid, day, hour = keys.kid["phone"], timedelta(days=1), timedelta(hours=1)
    for trade in some:
        called = datetime.fromtimestamp(trade.called_s, UTC)
        agreed = called - day + hour
        for own, account_id in enumerate((trade.poster_id, trade.proposer_id)):
            if account_id not in known:
                phone = Person(account_id).phone
                known[account_id] = phone, keys.phone(phone), masked(phone)
            phone, hashed, shown = known[account_id]
            cell = f"phone_side:{trade.id}:{account_id}"
            yield {
                "id": trade.id * 2 - 1 + own,
                "trade_id": trade.id,
                "account_id": account_id,
                "number": seal(phone, f"{cell}.number"),
                "number_hash": hashed,
                "number_kid": kid,
                "number_masked": shown,
                "number_code": "mobile",
                "address": seal(ADDRESS, f"{cell}.address"),
                "sealed_at": agreed,
                "words_right_at": called,
            }


def masked(phone: str) -> str:
    """Return a number as its owner sees it later: all but the last two digits."""
    return f"090-****-**{phone[-2:]}"
