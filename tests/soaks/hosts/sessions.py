"""M1: what ends a session on one host ends it on the other; one throttle for both."""

import time

from tests import sizes
from tests.factories import PASSWORD, make_account
from tests.soaks import guarantees
from tests.soaks.hosts.browsing import Browser, signed_in
from tests.soaks.hosts.world import World
from tradeboard.accounts import passwords
from tradeboard.accounts.rules.standing import Role

ANOTHER = "another horse battery staple"
WRONG_TRIES = 10
REASON = "terms"


def run(world: World, *, quick: bool) -> dict:
    """Try each way to end a session, so many times, and wrong passwords on both."""
    began = time.monotonic()
    world.serve("web1", "web2")
    times = 1 if quick else 10
    wrong = {"logout": 0, "password": 0, "suspension": 0}
    for number in range(times):
        wrong["logout"] += _logout(world, f"leaver{number}")
        wrong["password"] += _password(world, f"changer{number}")
        wrong["suspension"] += _suspension(world, f"goner{number}")
    wrong["throttle"] = _throttle(world)
    return guarantees.report(
        **world.line_of("M1"),
        size=sizes.name(quick=quick),
        n=3 * times,
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        **wrong,
    )


def _member(handle: str, **columns):
    hashed = passwords.hash_password(PASSWORD)
    return make_account(handle, password_hash=hashed, **columns)


def _log_in(world: World, handle: str) -> Browser:
    """Log in on the first host, as people do."""
    browser = Browser(world.clients[0], world.url("web1"))
    answer = browser.submit("/login", email=handle, password=PASSWORD)
    assert answer.status_code == 303, answer.text[:2000]
    assert browser.is_signed_in()
    return browser


def _is_still_in(world: World, thief: Browser) -> int:
    """Count the hosts where the copied cookie still opens something."""
    return sum(thief.at(world.url(name)).is_signed_in() for name in ("web2", "web1"))


def _logout(world: World, handle: str) -> int:
    _member(handle)
    browser = _log_in(world, handle)
    thief = browser.copy(world.clients[1]).at(world.url("web2"))
    assert thief.is_signed_in()
    assert browser.submit("/me", "/logout").status_code == 303
    return _is_still_in(world, thief)


def _password(world: World, handle: str) -> int:
    _member(handle)
    browser = _log_in(world, handle)
    thief = browser.copy(world.clients[1]).at(world.url("web2"))
    assert thief.is_signed_in()
    answer = browser.submit(
        "/me/password", "/me/password", password=PASSWORD, new_password=ANOTHER
    )
    assert answer.status_code == 303, answer.text[:2000]
    return _is_still_in(world, thief) + (
        not browser.at(world.url("web2")).is_signed_in()
    )


def _suspension(world: World, handle: str) -> int:
    account = _member(handle)
    moderator = make_account(f"mod-{handle}", role=Role.MODERATOR)
    account_id = account.id
    browser = _log_in(world, handle).at(world.url("web2"))
    desk = signed_in(world.app, moderator, world.clients[1], world.url("web1"))
    answer = desk.submit(
        f"/desk/people/{account_id}",
        f"/desk/people/{account_id}/suspend",
        reason=REASON,
        days="7",
    )
    assert answer.status_code == 303, answer.text[:3000]
    return _is_still_in(world, browser)


def _throttle(world: World) -> int:
    """Try wrong passwords on both in turn; return by how many too many were tried."""
    _member("guessed")
    browser = Browser(world.clients[0], world.url("web1"))
    tried = 0
    for number in range(2 * WRONG_TRIES):
        browser.at(world.url(("web1", "web2")[number % 2]))
        answer = browser.submit("/login", email="guessed", password="not this one")
        if answer.status_code == 429:
            break
        tried += 1
    return abs(tried - WRONG_TRIES)
