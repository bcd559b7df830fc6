"""Those who ask in the measurements: signed-in members, beside those of the world."""

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from flask import Flask, current_app
from itsdangerous import URLSafeTimedSerializer
from sqlalchemy import func, select

from bench import people, trading
from bench.board import LINES_A_LISTING
from bench.bulk import Bulk
from bench.data import PEOPLE, TABLES, written
from bench.load import Ask, get, post
from bench.people import Keys, Person
from bench.world import DAY_S, EXPIRED_TO, KINDS, World
from tradeboard.accounts.models import Account, Session
from tradeboard.api.models import ApiKey
from tradeboard.api.rules import Scope, ShownKey
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.listings.models import Listing
from tradeboard.listings.rules import ListingState
from tradeboard.trades.models import Message, OfferVersion

FORM = "application/x-www-form-urlencoded"
KEY = ShownKey("00000000000bec41", "b" * 43)
MESSAGES = 6


@dataclass(frozen=True)
class Browser:
    """A browser in which somebody is signed in, with the token of its forms."""

    person: Person
    cookie: str
    form_token: str

    def get(self, path: str) -> Ask:
        """Ask for a page."""
        return get(path, Cookie=self.cookie)

    def post(self, path: str, tag: int, **fields: str) -> Ask:
        """Send a form as its page would have filled it."""
        sent = {
            "csrf_token": self.form_token,
            "submit_id": secrets.token_urlsafe(16),
            **fields,
        }
        body = urlencode(sent).encode()
        return post(path, body, FORM, {"Cookie": self.cookie}, tag)


def join(app: Flask, world: World, count: int) -> list[Browser]:
    """Let so many members join who have agreed to the terms, and sign them in."""
    now = clock.now()
    with written(app) as connection:
        first = (connection.scalar(select(func.max(Account.id))) or 0) + 1
        ids = range(first, first + count)
        bulk = Bulk(connection)
        people.write(bulk, world, ids)
        joined = [Person(one) for one in ids]
        bulk.rows(TABLES[Session.__tablename__], people.sessions(joined, now))
        bulk.settle(PEOPLE)
    return [_browser(one, now) for one in joined]


def _browser(one: Person, now: datetime) -> Browser:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # a proxy
    raw = hashlib.sha1(one.token.encode()).hexdigest()
    signer = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]  # of cookies
    session = {"_user_id": one.token, "csrf_token": raw, "_permanent": True}
    cookie = f"session={signer.dumps(session)}; device={people.device_cookie(one, now)}"
    token = URLSafeTimedSerializer(app.config["SECRET_KEY"], salt="wtf-csrf-token")
    return Browser(one, cookie, str(token.dumps(raw)))


def add_key(app: Flask) -> dict[str, str]:
    """Add a key that opens everything to programs; the header that names it."""
    with written(app) as connection:
        row = {
            "name": "bench",
            "key_id": KEY.key_id,
            "secret_hash": KEY.secret_hash,
            "scopes": " ".join(Scope),
            "made_at": clock.now(),
        }
        Bulk(connection).rows(TABLES[ApiKey.__tablename__], [row])
    return {"Authorization": f"Bearer {KEY}"}


def trade(
    app: Flask, world: World, browsers: Sequence[Browser], count: int, stage: int
) -> list[tuple[int, Browser]]:
    """Let neighbours among them have so many trades at a stage; id and poster."""
    now = int(clock.now().timestamp())
    keys = Keys()
    with written(app) as connection:
        bulk = Bulk(connection)
        # Its offers, parcels and steps are numbered from the trade's own number.
        highest = connection.scalar(select(func.max(OfferVersion.id))) or 0
        first = max(highest, world.size) * 2
        trading.scratch.create_all(connection)
        rows = [
            _trade(first + at, world, browsers, at, stage, now) for at in range(count)
        ]
        trading.add(bulk, rows)
        trading.write(bulk, keys)
        trading.scratch.drop_all(connection)
        bulk.rows(TABLES[Message.__tablename__], _messages(rows, now))
        bulk.settle(trading.FILLED)
    posters = {one.person.id: one for one in browsers}
    return [(row["id"], posters[row["poster_id"]]) for row in rows]


def _trade(id, world, browsers, at, stage, now) -> dict:
    pairs = len(browsers) // 2
    one, other = browsers[at % pairs * 2], browsers[at % pairs * 2 + 1]
    listing = at % (world.size // KINDS) * KINDS + EXPIRED_TO + 1 + 1
    called = now - (DAY_S if stage == trading.CALLED else 3 * DAY_S)
    return {
        "id": id,
        "listing_id": listing,
        "line_id": listing * LINES_A_LISTING,
        "asked": "蒼天の竜",
        "given": "紅蓮の騎士",
        "poster_id": one.person.id,
        "proposer_id": other.person.id,
        "stage": stage,
        "called_s": called,
        "sent_s": called + DAY_S,
        "due_s": called + 15 * DAY_S,
    }


def _messages(rows: list[dict], now: int) -> Iterator[dict]:
    for row in rows:
        if row["stage"] == trading.CALLED:
            continue
        for at in range(MESSAGES):
            author = row["poster_id"] if at % 2 else row["proposer_id"]
            yield {
                "trade_id": row["id"],
                "author_id": author,
                "text": f"明日の午前に発送します。番号は{at}です。",
                "sent_at": clock.now() - timedelta(hours=MESSAGES - at),
                "read_at": clock.now(),
            }


def drafts(
    app: Flask, browsers: Sequence[Browser], count: int
) -> list[tuple[int, Browser]]:
    """Give them drafts that are ready to be posted; id and owner."""
    now = clock.now()
    with written(app) as connection:
        first = (connection.scalar(select(func.max(Listing.id))) or 0) + 1
        bulk = Bulk(connection)
        owners = [browsers[at % len(browsers)] for at in range(count)]
        rows: list[dict[str, Any]] = [
            {
                "id": first + at,
                "owner_id": owner.person.id,
                "state": ListingState.DRAFT,
                "form": _form(at),
                "created_at": now,
                "changed_at": now,
            }
            for at, owner in enumerate(owners)
        ]
        table = TABLES[Listing.__tablename__]
        bulk.rows(table, rows)
        bulk.settle([table])
    return [(row["id"], owner) for row, owner in zip(rows, owners, strict=True)]


def _form(at: int) -> dict:
    card = {"id": "", "set_code": "S1-001", "rarity": "SR", "language": "ja"}
    return {
        "have": [{**card, "name": "蒼天の竜", "condition": "A", "quantity": "1"}],
        "want": [
            {**card, "name": f"Onyx Griffin {at}", "condition": "", "quantity": "1"}
        ],
        "game": "星霜のカード",
        "ships_from": "13",
        "ships_to": "domestic",
        "note": "スリーブに入れて保管しています。",
    }


def rows_of(model, *conditions) -> int:
    """Count rows, reading anew."""
    db.session.rollback()
    counted = select(func.count()).select_from(model).where(*conditions)
    return db.session.scalar(counted) or 0
