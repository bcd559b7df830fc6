"""D4: what was acknowledged is kept, whatever ends at a bad moment.

A child commits and then says the number, until it is killed; the machine of PostgreSQL
fails in the middle of it; the disk is full. Afterwards every number that was said is
there, and whoever lives on writes again without being started anew.
"""

import os
import random
import select
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from tests import databases, sizes
from tests.factories import make_account
from tests.soaks import full_disks, guarantees, own_postgres
from tests.soaks.boards import application, board
from tests.soaks.children import Child, fork
from tradeboard.accounts import queries as accounts
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Listing

MOST_BEFORE = 12
AFTERWARDS = 3
PATIENCE = 60.0
BREATH = 0.02


@dataclass
class Writer:
    """A process that makes listings, and says the number of each that is committed."""

    owner_id: int
    said: list[int] = field(default_factory=list)
    left: bytes = b""

    def start(self) -> None:
        """Begin to write."""
        self.end, other = os.pipe()
        self.child: Child = fork(lambda: self._write(other))
        os.close(other)

    def _write(self, end: int) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                with transaction():
                    owner = accounts.get_account(self.owner_id)
                    number = make_listing_in(owner)
                os.write(end, b"%d\n" % number)
            except DBAPIError:
                db.session.rollback()
                time.sleep(BREATH)

    def wait_for(self, number: int) -> None:
        """Wait until so many numbers were said."""
        until = time.monotonic() + PATIENCE
        while len(self.said) < number:
            if time.monotonic() > until or self.child.poll() is not None:
                raise AssertionError(f"only {len(self.said)} of {number} were written")
            if select.select([self.end], [], [], 0.5)[0]:
                self._read()

    def kill(self) -> None:
        """End it wherever it is, and read what it still said."""
        self.child.kill()
        while self._read():
            pass
        os.close(self.end)

    def _read(self) -> bool:
        chunk = os.read(self.end, 65536)
        *lines, self.left = (self.left + chunk).split(b"\n")
        self.said += [int(line) for line in lines]
        return bool(chunk)


def make_listing_in(owner) -> int:
    """Make a listing in the transaction that is open; return its number."""
    at = clock.now()
    listing = Listing(
        owner_id=owner.id,
        state="open",
        game="g",
        terms_number=1,
        created_at=at,
        changed_at=at,
        posted_at=at,
        expires_at=at,
    )
    db.session.add(listing)
    db.session.flush()
    return listing.id


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    return sum(run(kind, quick=quick)["violations"] for kind in databases.KINDS)


def run(kind: str, *, quick: bool) -> dict:
    """Let so many writers end at a bad moment; count what is gone afterwards."""
    began, seed = time.monotonic(), guarantees.seed()
    number, dice = sizes.size("D4", quick=quick), random.Random(seed)
    seen: Counter[str] = Counter()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        server = None
        if kind == "postgresql":
            server = stack.enter_context(own_postgres.server())
        environment = stack.enter_context(
            board(kind, folder, url=server.url() if server else None)
        )
        app = application(environment)
        with app.app_context():
            owner_id = make_account("writer").id
            for _ in range(number):
                seen.update(_end_one(owner_id, server, dice))
            if server is None:
                seen.update(full_disks.limited(app))
            db.session.remove()
            db.engine.dispose()
    if not quick:
        seen.update(full_disks.real(kind))
    wrong = {
        name: seen[name] for name in ("lost", "not_503", "said_none", "not_recovered")
    }
    return guarantees.report(
        guarantee="D4",
        db=kind,
        size=sizes.name(quick=quick),
        n=number,
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        acked=seen["acked"],
        killed=seen["killed"],
        crashed=seen["crashed"],
        full=seen["full"],
        **wrong,
    )


def _end_one(owner_id: int, server, dice: random.Random) -> Counter:
    """Let one writer, or the server under it, end in the middle; look what is there."""
    writer = Writer(owner_id)
    crashes = server is not None and dice.random() < 0.6
    writer.start()
    try:
        writer.wait_for(dice.randint(1, MOST_BEFORE))
        time.sleep(dice.uniform(0, BREATH))
        if crashes:
            server.crash()
            server.start()
            writer.wait_for(len(writer.said) + AFTERWARDS)
    finally:
        writer.kill()
    db.session.rollback()
    there = db.session.scalars(sa.select(Listing.id).where(Listing.id.in_(writer.said)))
    lost = len(writer.said) - len(set(there))
    db.session.rollback()
    kind = "crashed" if crashes else "killed"
    return Counter({"acked": len(writer.said), "lost": lost, kind: 1})
