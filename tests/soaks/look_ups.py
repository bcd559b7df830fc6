"""D7: a look-up costs the same statements at 10 and at 100,000 entries."""

import time

from sqlalchemy import insert, select

from tests import databases, sizes
from tests.factories import MONDAY, make_account
from tests.soaks import guarantees
from tests.soaks.boards import on_each_database
from tradeboard.accounts.models import Account, Device, Handle
from tradeboard.blacklist import queries
from tradeboard.blacklist.models import Entry, EntryDevice
from tradeboard.blacklist.queries import Question
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.trades.rules.findings import Finding

FEW = 10
AT_ONCE = 5000
SLOW = 0.5
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    entries = sizes.size("D7 look-ups", quick=quick)
    return on_each_database(lambda *_: run(entries))


def run(entries: int) -> int:
    """Compare what few and many entries cost; return the violations."""
    began = time.monotonic()
    model = make_account("model", agreed=False)
    columns = {c.name: getattr(model, c.name) for c in Account.__table__.columns}
    fill(columns, 0, FEW)
    few = cost(FEW)
    for start in range(FEW, entries, AT_ONCE):
        fill(columns, start, min(start + AT_ONCE, entries))
    many = cost(entries)
    wrong = sum(many[name][0] != few[name][0] for name in few)
    slow = sum(secs > SLOW for _, secs in many.values())
    guarantees.report(
        guarantee="D7 look-ups",
        db=db.engine.dialect.name,
        size=sizes.name_of("D7 look-ups", entries),
        n=entries,
        violations=wrong + slow,
        secs=round(time.monotonic() - began, 1),
        seed=None,
        statements={name: count for name, (count, _) in many.items()},
        ms={name: round(1000 * secs, 1) for name, (_, secs) in many.items()},
    )
    return wrong + slow


def cost(entries: int) -> dict[str, tuple[int, float]]:
    """Return the statements and the seconds of each kind of question."""
    last = entries - 1
    hundred = [Question(handle=name(n)) for n in range(max(0, entries - 50), entries)]
    hundred += [Question(device=code(n)) for n in range(min(50, entries))]
    asked = {
        "handle": lambda: [queries.answer_for(handle=name(last), now=MONDAY)],
        "device": lambda: [queries.answer_for(device=code(last), now=MONDAY)],
        "bulk": lambda: queries.answers_for(hundred, now=MONDAY),
        "list": queries.public_page,
    }
    return {what: measured(ask) for what, ask in asked.items()}


def measured(ask) -> tuple[int, float]:
    """Ask twice, since the first time warms up; everybody asked for is listed."""
    for _ in range(2):
        db.session.rollback()
        with databases.Counter(db.engine)() as seen:
            began = time.monotonic()
            found = ask()
            secs = time.monotonic() - began
    assert all(getattr(one, "status", "listed") == "listed" for one in found)
    return len(seen), secs


def name(n: int) -> str:
    """Return a name that reads like no other."""
    return f"zz{n:06}x".translate(str.maketrans("0123456789", "acdefghkpq"))


def code(n: int) -> str:
    """Return a device code."""
    digits = ""
    for _ in range(8):
        n, digit = divmod(n, 32)
        digits = ALPHABET[digit] + digits
    return f"D-{digits[:4]}-{digits[4:]}"


def fill(columns: dict, start: int, end: int) -> None:
    """Let so many people have an entry each, and a browser on it."""
    numbers = range(start, end)
    with transaction():
        first = (db.session.scalar(select(db.func.max(Account.id))) or 0) + 1
        ids = range(first, first + len(numbers))
        pairs = list(zip(ids, numbers, strict=True))
        rows = {
            Account: [account(columns, id, n) for id, n in pairs],
            Handle: [handle(id, n) for id, n in pairs],
            Device: [device(id, n) for id, n in pairs],
            Entry: [entry(id, n) for id, n in pairs],
            EntryDevice: [
                {"entry_id": id, "device_id": id, "code": code(n)} for id, n in pairs
            ],
        }
        for model, values in rows.items():
            db.session.execute(insert(model), values)


def account(columns: dict, id: int, n: int) -> dict:
    """Return a person like the model, under another name."""
    return columns | {
        "id": id,
        "handle": name(n),
        "email": f"{name(n)}@example.com",
        "email_wire": f"{name(n)}@example.com",
        "email_login": f"{name(n)}@example.com",
        "email_key": f"key {n}",
    }


def handle(id: int, n: int) -> dict:
    """Return what a person is called."""
    return {"account_id": id, "shown": name(n), "skeleton": name(n), "since": MONDAY}


def device(id: int, n: int) -> dict:
    """Return a browser."""
    return {
        "id": id,
        "key": f"key {n}",
        "kid": "k1",
        "code": code(n),
        "first_seen": MONDAY,
        "last_seen": MONDAY,
    }


def entry(id: int, n: int) -> dict:
    """Return a public entry."""
    return {
        "id": id,
        "account_id": id,
        "handle": name(n),
        "finding": Finding.NEVER_DISPATCHED,
        "state": EntryState.LISTED,
        "entered_at": MONDAY,
        "listed_at": MONDAY,
        "phone_hashes": [],
        "facts": {},
        "version": 1,
    }
