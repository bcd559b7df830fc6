"""Ask a trade board's blacklist from other software, also without a network.

`Mirror` keeps a copy of the public entries by the feed. It needs nothing but Python's
standard library, and works when this file alone is copied elsewhere: then names fold
more simply (width, case, blanks and decoration), while beside the rest of Tradeboard
they fold exactly as the server folds them.

    mirror = Mirror("https://board.example", "tb_…", "blacklist.sqlite3")
    mirror.sync()                     # now and then, such as every minute
    mirror.status("たぬき堂")          # "none", "listed", "under_appeal" or "unknown"
"""

import http.client
import json
import re
import sqlite3
import time
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

PAGE = 1000
TOMBSTONES = frozenset({"lifted", "expired"})

TABLES = """
CREATE TABLE IF NOT EXISTS entry (
    id INTEGER PRIMARY KEY, reads TEXT NOT NULL, hidden INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS entry_reads ON entry (reads);
CREATE TABLE IF NOT EXISTS device (
    code TEXT NOT NULL, entry_id INTEGER NOT NULL, PRIMARY KEY (code, entry_id)
);
CREATE INDEX IF NOT EXISTS device_entry ON device (entry_id);
CREATE TABLE IF NOT EXISTS told (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
SHOWN = "SELECT body FROM entry WHERE NOT hidden ORDER BY id"
ASKED = """
SELECT hidden, body FROM entry WHERE reads = ? AND ? <> ''
UNION ALL SELECT hidden, body FROM entry JOIN device ON entry_id = id WHERE code = ?
"""
FORGET = (
    "DELETE FROM device",
    "DELETE FROM entry",
    "DELETE FROM told WHERE name <> 'folded by'",
)


class SyncFailed(Exception):
    """The board did not answer as it should; `retry_after` is in seconds, or None."""

    def __init__(self, reason: str, retry_after: float | None = None):
        super().__init__(reason)
        self.retry_after = retry_after


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the key is for one board alone."""

    def redirect_request(self, *_args, **_kwargs):
        """Let a redirect be an error."""
        return


Open = Callable[..., Any]
_open: Open = urllib.request.build_opener(_StayHere).open


class Mirror:
    """A copy of the public entries in an SQLite file, kept up to date by `sync`.

    Answers are `unknown` until the first whole sync, while one runs or after one was
    interrupted (but for entries that are known), and when the last whole one is older
    than `max_age`: what is not known is never answered `none`.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        path: str | Path,
        *,
        max_age: timedelta = timedelta(hours=1),
        timeout: float = 10,
        page: int = PAGE,
        open: Open = _open,
        clock: Callable[[], float] = time.time,
    ):
        self.base_url = base_url.rstrip("/")
        self.key = key
        self.path = str(path)
        self.max_age = max_age.total_seconds()
        self.timeout = timeout
        self.page = page
        self._open = open
        self._clock = clock
        with self._database() as database:
            database.executescript(TABLES)
            self._fold_anew(database)

    def sync(self) -> int:
        """Read the feed to its end; return how many changes there were.

        Each page is applied together with its number, in one transaction: whatever
        interrupts it, the next call goes on there. Raises SyncFailed.
        """
        count, more, began = 0, True, self._clock()
        with self._database() as database:
            self._tell(database, whole="")
        while more:
            found, more = self._next_page(began)
            count += found
        return count

    def status(self, handle: str) -> str:
        """Say how a handle stands; what may be a device code is looked up as both."""
        return self._status(reads_like(handle), device_code(handle) or "")

    def status_of_device(self, code: str) -> str:
        """Say how a device code stands."""
        return self._status("", device_code(code) or "")

    def entries(self) -> list[dict[str, Any]]:
        """Return the entries that may be shown, in the order of their numbers."""
        with self._database() as database:
            return [json.loads(body) for (body,) in database.execute(SHOWN)]

    @property
    def seq(self) -> int:
        """Return the number of the last change that is in the copy."""
        with self._database() as database:
            return int(self._told(database, "seq") or 0)

    def check(self, handle: str) -> str:
        """Ask the board itself, which knows former names too; `unknown` if it fails."""
        query = urllib.parse.urlencode({"handle": handle})
        try:
            answer, _ = self._get(f"/api/v1/blacklist/check?{query}")
        except SyncFailed:
            return "unknown"
        status = answer.get("status") if isinstance(answer, dict) else None
        return status if status in ("none", "listed", "under_appeal") else "unknown"

    def _next_page(self, began: float) -> tuple[int, bool]:
        with self._database() as database:
            seq = int(self._told(database, "seq") or 0)
            etag = self._told(database, "etag")
        query = urllib.parse.urlencode({"since": seq, "limit": self.page})
        page, new_etag = self._get(f"/api/v1/blacklist/changes?{query}", etag)
        if page is None:
            page = {"changes": [], "next": seq, "more": False}
        try:
            with self._database() as database:
                return self._apply_page(database, page, seq, new_etag, began)
        except (KeyError, TypeError) as error:
            raise SyncFailed("the board answered in another shape") from error

    def _apply_page(
        self,
        database: sqlite3.Connection,
        page: dict[str, Any],
        seq: int,
        etag: str,
        began: float,
    ) -> tuple[int, bool]:
        changes, following, more = page["changes"], page["next"], page["more"]
        if following < seq:
            # The board has another history than the copy: begin anew.
            for statement in FORGET:
                database.execute(statement)
            return 0, True
        for change in changes:
            self._apply(database, change)
        self._tell(database, seq=str(following), etag="" if changes else etag)
        if not more:
            self._tell(database, whole=repr(began))
        return len(changes), more

    def _apply(self, database: sqlite3.Connection, change: dict[str, Any]) -> None:
        entry = change["entry"]
        database.execute("DELETE FROM device WHERE entry_id = ?", [entry["id"]])
        database.execute("DELETE FROM entry WHERE id = ?", [entry["id"]])
        # What ended meanwhile has left its number alone, in earlier changes too.
        if change["type"] in TOMBSTONES or "handle" not in entry:
            return
        database.execute(
            "INSERT INTO entry (id, reads, hidden, body) VALUES (?, ?, ?, ?)",
            [
                entry["id"],
                reads_like(entry["handle"]),
                change["type"] == "hidden",
                json.dumps(entry, ensure_ascii=False),
            ],
        )
        database.executemany(
            "INSERT OR IGNORE INTO device (code, entry_id) VALUES (?, ?)",
            [(code, entry["id"]) for code in entry["devices"]],
        )

    def _status(self, reads: str, code: str) -> str:
        with self._database() as database:
            whole = self._told(database, "whole")
            ever = self._told(database, "ever")
            rows = database.execute(ASKED, [reads, reads, code]).fetchall()
        if not ever or self._clock() - float(ever) > self.max_age:
            return "unknown"
        if not rows:
            return "none" if whole else "unknown"
        appealed = [hidden or json.loads(body)["under_appeal"] for hidden, body in rows]
        return "under_appeal" if all(appealed) else "listed"

    def _get(self, path: str, etag: str = "") -> tuple[Any, str]:
        """Return what the board answers with its mark; None if that is unchanged."""
        headers = {"Authorization": f"Bearer {self.key}", "Accept": "application/json"}
        if etag:
            headers["If-None-Match"] = etag
        request = urllib.request.Request(self.base_url + path, headers=headers)
        try:
            with closing(self._open(request, timeout=self.timeout)) as answer:
                return json.loads(answer.read()), answer.headers.get("ETag", "")
        except urllib.error.HTTPError as error:
            with closing(error):
                if error.code == 304 and etag:
                    return None, etag
                wait = error.headers.get("Retry-After", "")
                after = float(wait) if wait.isdigit() else None
                raise SyncFailed(f"HTTP {error.code}", after) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise SyncFailed(str(error) or type(error).__name__) from error

    def _fold_anew(self, database: sqlite3.Connection) -> None:
        """Read the names again if they were folded by other rules."""
        rules = "tradeboard" if _server_rules() else "simple"
        if self._told(database, "folded by") == rules:
            return
        rows = database.execute("SELECT id, body FROM entry").fetchall()
        database.executemany(
            "UPDATE entry SET reads = ? WHERE id = ?",
            [(reads_like(json.loads(body)["handle"]), id) for id, body in rows],
        )
        self._tell(database, **{"folded by": rules})

    def _told(self, database: sqlite3.Connection, name: str) -> str:
        query = "SELECT value FROM told WHERE name = ?"
        return next((row[0] for row in database.execute(query, [name])), "")

    def _tell(self, database: sqlite3.Connection, **values: str) -> None:
        if values.get("whole"):
            values["ever"] = values["whole"]
        database.executemany(
            "INSERT OR REPLACE INTO told (name, value) VALUES (?, ?)", values.items()
        )

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """Give a connection; what the block writes is kept whole or not at all."""
        connection = sqlite3.connect(self.path, timeout=30)
        with closing(connection), connection:
            yield connection


def reads_like(handle: str) -> str:
    """Return how a handle reads: by the server's rules, or by simpler ones."""
    rules = _server_rules()
    if rules is not None:
        return rules[0](handle)
    plain = unicodedata.normalize("NFKC", handle).casefold()
    return re.sub(r"[\s_.'’・·☆★♪♡♥-]+", "", plain)


def device_code(text: str) -> str | None:
    """Return the device code that was typed as it is written, or None."""
    rules = _server_rules()
    if rules is not None:
        return rules[1](text)
    plain = unicodedata.normalize("NFKC", text).strip().upper().replace("-", "")
    match = re.fullmatch(r"D?([0-9A-HJKMNP-TV-Z]{4})([0-9A-HJKMNP-TV-Z]{4})", plain)
    return f"D-{match[1]}-{match[2]}" if match else None


@lru_cache(maxsize=1)
def _server_rules() -> tuple[Callable[[str], str], Callable[[str], str | None]] | None:
    """Return the server's own rules where they are installed beside this file."""
    try:
        from tradeboard.accounts.rules import devices, handles
    except ImportError:
        return None

    def reads(handle: str) -> str:
        return handles.skeleton(handles.tidied(handle))

    return reads, devices.parse_code
