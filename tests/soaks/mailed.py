"""S12: a mailed link works once, in time, and for the address that it went to."""

import time
from collections.abc import Callable
from datetime import timedelta

from tests import pages, sizes
from tests.factories import make_account
from tests.races import race
from tests.soaks import browsing
from tests.soaks.signing import account_of, hashed, report
from tradeboard.accounts import tokens
from tradeboard.accounts.services import address, profile
from tradeboard.core import clock
from tradeboard.core.transaction import transaction

NEW = "a new battery for the old horse"


def s12(app, *, quick: bool) -> dict:
    """Open links three times, use them, and try them again in each way."""
    began, found, accepted, tried = time.monotonic(), [], 0, 0
    for purpose in ("confirm", "reset", "change"):
        for name, spoil in SPOILS.items():
            who = _waiting(purpose, f"{purpose}{len(name)}{tried}")
            path = _issue(who, purpose)
            opened = [app.test_client().get(path).status_code for _ in range(3)]
            if opened != [200, 200, 200]:
                found.append(f"{purpose}, {name}: opened {opened}")
            late = spoil(app, who, purpose, path)
            with browsing.at(clock.now() + late):
                tried += 1
                if _use(app, path, purpose, who):
                    accepted += 1
                    found.append(f"{purpose}: {name}")
        for _ in range(sizes.size("S12", quick=quick)):
            who = _waiting(purpose, f"r{purpose}{tried}")
            token = _issue(who, purpose).rsplit("/", 1)[1]
            ends = race(app, *[_using(token, purpose)] * 2)
            tried += 1
            if sorted(ends) != ["Conflict", "done"]:
                found.append(f"{purpose}: two at once ended {ends}")
    return report("S12", quick, began, tried, found, accepted=accepted)


def _using(token, purpose):
    return lambda: tokens.use(token, purpose, now=clock.now())


def _waiting(purpose: str, handle: str) -> int:
    confirmed = purpose != "confirm"
    return make_account(handle, password_hash=hashed(), confirmed=confirmed).id


PATHS = {"confirm": "/confirm/", "reset": "/reset/", "change": "/change-email/"}


def _issue(who: int, purpose: str) -> str:
    email = f"new{who}@example.com" if purpose == "change" else None
    with transaction():
        token = tokens.issue(account_of(who), purpose, email=email, now=clock.now())
    return PATHS[purpose] + token


def _use(app, path, purpose, who) -> bool:
    """Use a link as its page does; tell whether anything came of it."""
    before = _state(who)
    client = app.test_client()
    page = client.get(path)
    if page.status_code == 200:
        fields = {"new_password": f"{NEW} {purpose}"} if purpose == "reset" else {}
        pages.send(client, path, page.get_data(as_text=True), path, **fields)
    return _state(who) != before


def _state(who: int):
    account = account_of(who)
    return account.password_hash, account.email_wire, account.email_confirmed_at


def _used(app, who, purpose, path):
    assert _use(app, path, purpose, who), f"{purpose} did not work at all"
    return timedelta(0)


def _replaced(app, who, purpose, path):
    _issue(who, purpose)
    return timedelta(0)


def _expired(app, who, purpose, path):
    return tokens.GOOD_FOR[purpose]


def _after_a_new_address(app, who, purpose, path):
    with transaction():
        token = tokens.issue(
            account_of(who), "change", email=f"other{who}@example.com", now=clock.now()
        )
    with transaction():
        address.change(token, now=clock.now())
    return timedelta(0)


def _after_a_new_password(app, who, purpose, path):
    if purpose == "confirm":  # It proves a mailbox, whatever the password is.
        return tokens.GOOD_FOR[purpose]
    with transaction():
        profile.change_password(account_of(who), "!", now=clock.now())
    return timedelta(0)


SPOILS: dict[str, Callable] = {
    "a second time": _used,
    "an older one": _replaced,
    "expired": _expired,
    "after a new address": _after_a_new_address,
    "after a new password": _after_a_new_password,
}
