"""S3 and S11: nobody learns who is here, and guessing is slow but locks nobody out."""

import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from argon2 import PasswordHasher
from sqlalchemy import delete

from tests import databases, pages, sizes
from tests.factories import PASSWORD, make_account
from tests.soaks import guarantees, timing
from tests.soaks.signing import WRONG, device_of, log_in, signed_in
from tradeboard.accounts import passwords
from tradeboard.api import services as api
from tradeboard.api.rules import Scope, ShownKey, read_key
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.throttle import ThrottleBucket
from tradeboard.core.transaction import transaction
from tradeboard.notifications.models import OutboxMail
from tradeboard.site import queries as site

# These differ with every answer, whoever is asked about.
OWN_TO_EACH = {"X-Request-ID", "Set-Cookie", "Date", "Retry-After"}


@dataclass(frozen=True)
class Seen:
    """What a stranger could tell two answers apart by."""

    status: int
    headers: tuple[tuple[str, str], ...]
    cookies: tuple[str, ...]
    length: int
    hashes: int
    statements: int


def s3(app, *, quick: bool) -> dict:
    """Ask about somebody who is here and somebody who is not; compare the answers.

    Times that differ are measured once more: of ten ways to ask, one would be
    suspected by chance alone in every tenth run.
    """
    began, found = time.monotonic(), []
    pairs = sizes.size("S3", quick=quick)
    asks = asks_of(app)
    for name, ask in asks.items():
        apart = [_differing(ask) for _ in range(2)]
        found += [f"{name}: {one}" for one in sorted(set(filter(None, apart)))]
    times: dict[str, timing.Times] = {}
    if not quick:
        for name, ask in asks.items():
            times[name] = timing.times(ask, pairs, before=forget_tries)
    found += [f"{name}: times" for name, one in times.items() if one.tells]
    return guarantees.report(
        guarantee="S3",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=len(asks),
        violations=len(found),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        pairs=pairs,
        p={name: round(one.p, 3) for name, one in times.items()},
        slower_ms={name: round(one.slower * 1000, 3) for name, one in times.items()},
        spread_ms={name: round(one.spread * 1000, 3) for name, one in times.items()},
        found=found,
    )


def asks_of(app) -> dict[str, Callable]:
    """Return the ways to ask; each takes whether the person is here."""
    hashed = passwords.hash_password(PASSWORD)
    make_account("known", password_hash=hashed)
    make_account("wait1", password_hash=hashed, confirmed=False)
    own = make_account("curio", password_hash=hashed)
    with transaction():
        _, shown = api.make("k", [Scope.CHECK], by=own, now=clock.now())
    browser = device_of(app, "curio")
    numbers = iter(range(1, 1_000_000))

    def log_in_by(name, client=None):
        def ask(is_here):
            spelled = name.format("known" if is_here else "nobdy")
            return lambda: log_in(app, spelled, WRONG, client=client)

        return ask

    def register(is_here):
        number = next(numbers)
        here = "known" if is_here else f"u{number:04}"
        fields = {"handle": f"h{number:06}", "email": f"{here}@example.com"}
        return _form(app, "/register", **fields, password=PASSWORD)

    def mailed(path, here):
        def ask(is_here):
            name = here if is_here else f"n{next(numbers):04}"
            return _form(app, path, email=f"{name}@example.com")

        return ask

    def by_key(is_here):
        # The name of a key that is there, with a wrong secret; and one that is not.
        there = read_key(shown)
        name = there.key_id if is_here else there.key_id[:-4] + "0000"
        wrong = ShownKey(name, there.secret[::-1])
        headers = {"Authorization": f"Bearer {wrong}"}
        url = "/api/v1/blacklist/check?handle=x"
        return lambda: app.test_client().get(url, headers=headers)

    def looked_up(is_here):
        url = f"/api/v1/blacklist/check?handle={'known' if is_here else 'nobdy'}"
        return lambda: app.test_client().get(url)

    return {
        "log in by address": log_in_by("{}@example.com"),
        "log in by name": log_in_by("{}"),
        "log in in a browser that others used": log_in_by("{}", browser),
        "register": register,
        "reset": mailed("/reset", "known"),
        "resend": mailed("/confirm/resend", "wait1"),
        "resend to a confirmed address": mailed("/confirm/resend", "known"),
        "change of address by a member": _changing(app, numbers),
        "api by a key": by_key,
        "api about a name": looked_up,
    }


def _changing(app, numbers):
    """Return how a member changes to an address that is here, or to another."""
    member, path = signed_in(app, "curio"), "/me/email"

    def ask(is_here):
        name = "known" if is_here else f"n{next(numbers):04}"
        fields = {"email": f"{name}@example.com", "password": PASSWORD}
        page = pages.get(member, path)
        return lambda: pages.send(member, path, page, path, **fields)

    return ask


def _form(app, path, **fields):
    """Open a page in a browser of its own; return how its form is sent."""
    client = app.test_client()
    page = pages.get(client, path)
    return lambda: pages.send(client, path, page, path, **fields)


def _differing(ask) -> str:
    """Return by what the answers about both can be told apart; "" by nothing."""
    forget_tries()
    here, away = look(ask(True)), look(ask(False))
    names = [name for name in vars(here) if getattr(here, name) != getattr(away, name)]
    return ", ".join(
        f"{name} {getattr(here, name)} / {getattr(away, name)}" for name in names
    )


def look(send) -> Seen:
    """Send it, and note what can be seen and measured.

    What pages keep for some seconds is read before: it would be counted now and then.
    """
    site.forget()
    site.state()
    with counted_hashes() as hashes, databases.Counter(db.engine)() as statements:
        answer = send()
    cookies = sorted(c.split("=")[0] for c in answer.headers.getlist("Set-Cookie"))
    headers = sorted((n, v) for n, v in answer.headers if n not in OWN_TO_EACH)
    return Seen(
        answer.status_code,
        tuple(headers),
        tuple(cookies),
        len(answer.get_data()),
        len(hashes),
        len(statements),
    )


@contextmanager
def counted_hashes():
    """Collect each call of argon2."""
    calls: list[str] = []

    def counting(name):
        real = getattr(PasswordHasher, name)

        def call(self, *args):
            calls.append(name)
            return real(self, *args)

        return patch.object(PasswordHasher, name, call)

    with counting("hash"), counting("verify"):
        yield calls


def forget_tries() -> None:
    """Let nothing count that was tried before: only the answers are compared."""
    with transaction():
        db.session.execute(delete(ThrottleBucket))


def s11(app, *, quick: bool) -> dict:
    """Guess from one network and from many; meanwhile the owner comes in."""
    began, tries = time.monotonic(), sizes.size("S11", quick=quick)
    many = sizes.size("S11 networks", quick=quick)
    found, guesses, slowest = [], {}, 0.0
    for networks in (1, many):
        forget_tries()
        name = f"own{networks}"
        make_account(name, password_hash=passwords.hash_password(PASSWORD))
        owner = device_of(app, name)
        guesses[networks] = _guess(app, name, tries, networks)
        at = time.perf_counter()
        answer = log_in(app, name, PASSWORD, client=owner, address="10.0.0.1")
        slowest = max(slowest, time.perf_counter() - at)
        if answer.status_code != 303:
            found.append(f"{networks}: the owner got {answer.status_code}")
        allowed = 10 if networks == 1 else 100 + 2 * networks
        if guesses[networks] > allowed:
            found.append(f"{networks}: {guesses[networks]} guesses")
        if networks > 10 and _mails(name) != 1:
            found.append(f"{networks}: {_mails(name)} mails")
    if slowest > 2:
        found.append(f"the owner waited {slowest:.1f} s")
    return guarantees.report(
        guarantee="S11",
        db=db.engine.dialect.name,
        size=sizes.name(quick=quick),
        n=2 * tries,
        violations=len(found),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        guesses_per_quarter_hour=guesses,
        owner_ok=2 - sum("owner got" in one for one in found),
        owner_ms=round(slowest * 1000),
        found=found,
    )


def _guess(app, name: str, tries: int, networks: int) -> int:
    """Send wrong passwords; return how many were looked at."""
    client = app.test_client()
    page = pages.get(client, "/login")
    looked = 0
    for number in range(tries):
        address = f"10.0.{number % networks}.1"
        answer = log_in(app, name, WRONG, client=client, address=address, page=page)
        looked += answer.status_code == 422
    return looked


def _mails(name: str) -> int:
    db.session.rollback()
    to = f"{name}@example.com"
    found = db.session.query(OutboxMail).filter_by(to=to)
    return found.filter(OutboxMail.template.endswith("wrong_tries.txt")).count()
