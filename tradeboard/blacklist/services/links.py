"""Mailed links to the own entry: 256 bits, only their hash is kept."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime

from sqlalchemy import insert

from tradeboard.blacklist import queries
from tradeboard.blacklist.models import AppealLink, Entry
from tradeboard.blacklist.rules import entries as rules
from tradeboard.core.db import connection, db
from tradeboard.core.errors import Conflict, NotFound

_LINKS = insert(AppealLink.__table__)


def issue(entry: Entry, *, now: datetime) -> str:
    """Make a link's token; older links to the same entry stay good."""
    token = secrets.token_urlsafe(32)
    db.session.add(
        AppealLink(token_hash=hash_token(token), entry_id=entry.id, made_at=now)
    )
    return token


def issue_all(entries: Collection[Entry], *, now: datetime) -> dict[int, str]:
    """Make a token for each of these entries, by its id, in one statement."""
    tokens = {entry.id: secrets.token_urlsafe(32) for entry in entries}
    if tokens:
        rows = [
            {"token_hash": hash_token(token), "entry_id": entry_id, "made_at": now}
            for entry_id, token in tokens.items()
        ]
        connection().execute(_LINKS, rows)
    return tokens


def read(token: str) -> AppealLink:
    """Return the link of a token, or raise NotFound; reading uses nothing up."""
    link = queries.find_link(hash_token(token))
    if link is None:
        raise NotFound("このリンクのページはありません。")
    return link


def is_good(entry: Entry) -> bool:
    """Tell whether links to an entry still open it: until the entry ends."""
    return entry.state in rules.STANDING_STATES


def use(token: str, entry: Entry, *, now: datetime) -> AppealLink:
    """Use a link up for an appeal about an entry that is at hand and locked."""
    link = read(token)
    if link.entry_id != entry.id:
        raise NotFound("このリンクのページはありません。")
    db.session.refresh(link)
    if link.used_at is not None:
        raise Conflict(
            "このリンクからの申し立ては、もう受け取っています。"
            "もう一度申し立てるときは、ログインするか、新しいリンクを使ってください。"
        )
    link.used_at = now
    return link


def hash_token(token: str) -> str:
    """Return what is stored instead of a token."""
    return hashlib.sha256(token.encode()).hexdigest()
