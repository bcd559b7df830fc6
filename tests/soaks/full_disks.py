"""A disk that is full: pages of outage, no wrong answer, and all goes on afterwards."""

import logging
import os
import re
import secrets
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import event, select, text

from tests.conftest import Client
from tests.factories import make_account
from tests.soaks import look_ups, own_postgres, serving
from tests.soaks.boards import application, board
from tests.worlds import make_listing
from tradeboard.accounts.models import Account
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Line
from tradeboard.trades.models import Trade

LISTINGS, WITH_ROOM, AFTER_THE_END = 150, 3, 4
PATIENCE, BREATH = 30.0, 0.2
SIZES = {"sqlite": "24m", "postgresql": "160m"}
SMALL = (
    "-c wal_recycle=off -c min_wal_size=4MB -c max_wal_size=16MB -c shared_buffers=16MB"
)
A_MEGABYTE = 1 << 20


class Offers:
    """Somebody sends one offer after the other, in a browser."""

    def __init__(self, app):
        app.test_client_class = Client
        owner, asker = make_account("posts"), make_account("asks")
        self.listed = _list_somebody(owner)
        with transaction():
            made = [make_listing(owner, at=clock.now()) for _ in range(LISTINGS)]
            ids = [listing.id for listing in made]
        lines = select(Line.listing_id, Line.id).where(Line.side == "have")
        self.lines = [tuple(row) for row in db.session.execute(lines)]
        assert len(self.lines) == len(ids)
        signed_in = serving.sign_in(app, asker, 0)
        self.client, self.token = app.test_client(), signed_in.token
        self.client.set_cookie(*signed_in.cookie.split("=", 1))
        self.acked: list[int] = []

    def send(self) -> int:
        """Send the next one; return how it was answered."""
        listing, line = self.lines.pop()
        answer = self.client.post(
            f"/listings/{listing}/offer",
            data={
                "csrf_token": self.token,
                "submit_id": secrets.token_hex(8),
                "do": "send",
                "note": "x" * 900,
                "poster-0-line_id": str(line),
                "poster-0-quantity": "1",
                "proposer-0-name": "name",
                "proposer-0-quantity": "1",
                "proposer-0-condition": "",
                "proposer-0-language": "",
            },
        )
        if answer.status_code == 303:
            number = re.search("/trades/([0-9]+)", answer.location)
            assert number is not None
            self.acked.append(int(number[1]))
        return answer.status_code

    def says_none(self) -> bool:
        """Tell whether a look-up clears somebody who is listed."""
        path = f"/api/v1/blacklist/check?handle={self.listed}"
        answer = self.client.get(path)
        right = {200: "listed", 503: "unknown"}
        page = self.client.get(f"/blacklist?handle={self.listed}")
        return (
            right.get(answer.status_code) != answer.json["status"]
            or page.status_code not in right
            or (page.status_code == 200 and "E-" not in page.text)
        )

    def lost(self) -> int:
        """Return how many of those that were acknowledged are gone."""
        db.session.rollback()
        there = db.session.scalars(select(Trade.id).where(Trade.id.in_(self.acked)))
        return len(self.acked) - len(set(there))


def _list_somebody(model: Account) -> str:
    columns = {c.name: getattr(model, c.name) for c in Account.__table__.columns}
    look_ups.fill(columns, 0, 1)
    return look_ups.name(0)


def press(app, fill: Callable[[], None], make_room: Callable[[], None]) -> Counter:
    """Write until the disk is full and beyond; then make room, and write again."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # Every refusal would be logged, with its trace.
    try:
        return _press(Offers(app), fill, make_room)
    finally:
        logging.disable(before)


def _press(offers: Offers, fill, make_room) -> Counter:
    seen = Counter(not_503=sum(offers.send() != 303 for _ in range(WITH_ROOM)))
    fill()
    statuses = [303]
    while statuses[-1] == 303 and len(offers.lines) > LISTINGS // 2:
        statuses.append(offers.send())
    statuses += [offers.send() for _ in range(AFTER_THE_END)]
    seen["full"] = int(503 in statuses)
    seen["not_503"] += len([s for s in statuses if s not in (303, 503)])
    seen["not_503"] += 503 not in statuses
    seen["said_none"] = int(offers.says_none())
    make_room()
    until = time.monotonic() + PATIENCE
    while (status := offers.send()) != 303 and time.monotonic() < until:
        time.sleep(BREATH)
    seen["not_recovered"] = int(status != 303)
    seen["acked"], seen["lost"] = len(offers.acked), offers.lost()
    return seen


def limited(app) -> Counter:
    """Let SQLite find no page more, as on a full disk."""
    most = {"pages": 2**31}

    def limit(connection, *_):
        connection.execute(f"PRAGMA max_page_count = {most['pages']}")

    event.listen(db.engine, "checkout", limit)
    try:
        return press(
            app,
            lambda: most.update(pages=_pages()),
            lambda: most.update(pages=2**31),
        )
    finally:
        event.remove(db.engine, "checkout", limit)


def _pages() -> int:
    db.session.rollback()
    number = db.session.scalar(text("PRAGMA page_count"))
    db.session.rollback()
    return number


def real(kind: str) -> Counter:
    """Fill a small file system in memory; only root may make one."""
    if os.geteuid() != 0:
        print(f"full disk of {kind}: left out, it takes root", flush=True)
        return Counter()
    with ExitStack() as stack:
        disk = stack.enter_context(mounted(SIZES[kind]))
        server = url = None
        if kind == "postgresql":
            (disk / "server").mkdir()
            server = stack.enter_context(
                own_postgres.server(
                    disk / "server", make=("--wal-segsize=1",), options=SMALL
                )
            )
            url = server.url()
        environment = stack.enter_context(board(kind, disk, url))
        app = application(environment)
        filler = disk / "filler"

        def make_room() -> None:
            filler.unlink()
            if server is not None and not server.is_running():
                server.crash()
                server.start()

        with app.app_context():
            found = press(app, lambda: _fill(filler), make_room)
            db.session.remove()
            db.engine.dispose()
    return found


@contextmanager
def mounted(size: str) -> Iterator[Path]:
    """Mount a small file system; in the end nothing of it is left."""
    with TemporaryDirectory() as named:
        Path(named).chmod(0o755)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "tmpfs", named]
        subprocess.run(mount, check=True)
        try:
            yield Path(named)
        finally:
            subprocess.run(["umount", "-l", named], check=True)


def _fill(file: Path) -> None:
    """Write until not a byte more fits."""
    for size in (A_MEGABYTE, 4096, 1):
        with file.open("ab", buffering=0) as end:
            try:
                while end.write(bytes(size)) == size:
                    pass
            except OSError:
                continue
