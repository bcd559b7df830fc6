"""S1, S2 and S12: sessions end at once, cookies are closed, mailed links work once."""

import time
from collections.abc import Callable
from contextlib import contextmanager
from datetime import timedelta
from unittest.mock import patch

from tests import pages
from tests.factories import PASSWORD, make_account
from tests.soaks import browsing
from tests.soaks.guessing import s3, s11
from tests.soaks.mailed import s12
from tests.soaks.signing import (
    account_of,
    copy_of,
    hashed,
    is_in,
    report,
    signed_in,
)
from tradeboard.accounts import queries, tokens, totp
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import address, admin, suspension
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.web import proving

__all__ = ["s1", "s2", "s3", "s11", "s12"]

NEW = "a new battery for the old horse"
PRIVATE = ("/me", "/todo", "/trades", "/me/devices", "/me/listings")


def s1(app, *, quick: bool) -> dict:
    """Copy cookies, end the sessions in each way, and come back with the copies."""
    began, replays, tried, found = time.monotonic(), 0, 0, []
    for number, (name, end) in enumerate(ENDS.items()):
        who = make_account(f"s1{number}", password_hash=hashed())
        here, there = signed_in(app, who.handle), signed_in(app, who.handle)
        copies = [copy_of(here), copy_of(there)]
        if not all(map(is_in, copies)):
            found.append(f"{name}: the copies were dead before")
        ended = end(app, who.id, here, there, copies)
        for copy in ended:
            lives = [p for p in PRIVATE if copy.get(p).status_code == 200]
            written = pages.send(copy, "/login", _posting(copy), "/preferences")
            tried += len(PRIVATE) + 1
            replays += len(lives) + is_in(copy) + (written.status_code >= 500)
            found += [f"{name}: {path}" for path in lives]
    return report("S1", quick, began, tried, found, replays=replays)


def _posting(copy) -> str:
    return pages.get(copy, "/login")


def _log_out(app, who, here, there, copies):
    pages.submit(here, "/me", "/logout")
    return copies[:1]


def _everywhere(app, who, here, there, copies):
    pages.submit(here, "/me/devices", "/me/devices/sign-out")
    return copies[1:]


def _new_password(app, who, here, there, copies):
    pages.submit(here, "/me/password", password=PASSWORD, new_password=NEW)
    return copies


def _reset(app, who, here, there, copies):
    with transaction():
        token = tokens.issue(account_of(who), "reset", now=clock.now())
    pages.submit(app.test_client(), f"/reset/{token}", new_password=NEW)
    return copies


def _suspended(app, who, here, there, copies):
    mod = make_account(f"m{who}", role=Role.ADMIN)
    with transaction():
        suspension.suspend(who, "terms", until=None, by=mod, now=clock.now())
    return copies


def _new_address(app, who, here, there, copies):
    with transaction():
        token = tokens.issue(
            account_of(who), "change", email=f"n{who}@example.com", now=clock.now()
        )
    with transaction():
        address.change(token, now=clock.now())
    return copies


def _second_factor(app, who, here, there, copies):
    _set_up(here, who)
    return copies


def _step_up(app, who, here, there, copies):
    with browsing.at(clock.now() + proving.GOOD_FOR):
        pages.submit(here, "/login/again?next=/me/security", password=PASSWORD)
    return copies[:1]


def _closed(app, who, here, there, copies):
    pages.submit(here, "/me/close", password=PASSWORD)
    return copies


def _promoted(app, who, here, there, copies):
    with transaction():
        handle = account_of(who).handle
        admin.promote(handle, Role.MODERATOR, "a trial", by=None, now=clock.now())
    return copies


ENDS: dict[str, Callable] = {
    "log-out": _log_out,
    "everywhere": _everywhere,
    "new password": _new_password,
    "reset": _reset,
    "suspension": _suspended,
    "new address": _new_address,
    "second factor": _second_factor,
    "step-up": _step_up,
    "closing": _closed,
    "another role": _promoted,
}


def _set_up(client, who: int) -> str:
    """Set the second factor up in this browser; return the secret."""
    pages.submit(client, "/login/second/setup", button="設定を始める")
    db.session.rollback()
    secret = totp.unseal(queries.find_totp(who).secret, who)
    now = clock.now()
    # A step ago, so that the code of now is still good.
    code = totp.code_at(secret, now - timedelta(seconds=30))
    with browsing.at(now):
        done = pages.submit(
            client, "/login/second/setup", button="設定を終える", code=code
        )
    assert done.status_code == 200, done.status_code
    return secret


@contextmanager
def over_https(app):
    """Let the board be reached over https, and hear each cookie that it sets."""
    said: list[str] = []
    settings = {
        "PUBLIC_URL": "https://localhost",
        "SESSION_COOKIE_SECURE": True,
        "SESSION_COOKIE_NAME": "__Host-session",
        "PREFERRED_URL_SCHEME": "https",
    }
    real = app.process_response

    def hear(response):
        response = real(response)
        said.extend(response.headers.getlist("Set-Cookie"))
        return response

    base = {"base_url": "https://localhost"}
    with patch.dict(app.config, settings), patch.object(app, "process_response", hear):
        yield said, base


class Https:
    """A browser that speaks https alone."""

    def __init__(self, app):
        self.client = app.test_client()
        self.application = app

    def get(self, path, **more):
        return self.client.get(path, base_url="https://localhost", **more)

    def post(self, path, headers=None, **more):
        headers = {"Origin": "https://localhost", "Referer": "https://localhost/"}
        return self.client.post(
            path, base_url="https://localhost", headers=headers, **more
        )

    def id(self):
        """Return the session cookie, or None."""
        found = self.client.get_cookie("__Host-session")
        return found and found.value


def s2(app, *, quick: bool) -> dict:
    """Crawl over https; look at each cookie, and whether ids change."""
    began, found = time.monotonic(), []
    who = make_account("s2", password_hash=hashed())
    with over_https(app) as (said, _):
        client = Https(app)
        ids = [client.id()]
        for path in ("/", "/login", "/register", "/reset", "/blacklist"):
            client.get(path)
        pages.submit(client, "/", "/preferences", button="English")
        pages.submit(client, "/", "/preferences", button="日本語")
        pages.submit(client, "/", "/preferences", theme="dark")
        ids.append(client.id())
        _in(client, who.handle)
        ids.append(client.id())
        for path in PRIVATE:
            client.get(path)
        with browsing.at(clock.now() + proving.GOOD_FOR):
            pages.submit(client, "/login/again", password=PASSWORD)
        ids.append(client.id())
        secret = _set_up(client, who.id)
        ids.append(client.id())
        pages.submit(client, "/me/password", password=PASSWORD, new_password=NEW)
        ids.append(client.id())
        pages.submit(client, "/me", "/logout")
        _in(client, who.handle, NEW)
        ids.append(client.id())
        code = totp.code_at(secret, clock.now())
        pages.submit(client, "/login/second", code=code)
        ids.append(client.id())
    found += [
        f"the id stayed: step {n}"
        for n in range(1, len(ids) - 1)
        if ids[n + 1] in (None, ids[n])
    ]
    open_ones = [cookie for cookie in said if _is_open(cookie)]
    found += sorted({cookie.partition("=")[0] for cookie in open_ones})
    names = sorted({cookie.partition("=")[0] for cookie in said})
    return report("S2", quick, began, len(said), found, cookies=len(said), names=names)


def _in(client, login, password=PASSWORD):
    return pages.submit(client, "/login", "/login", email=login, password=password)


def _is_open(cookie: str) -> bool:
    """Tell whether a cookie lacks what keeps it to this host and from scripts."""
    name, *flags = [part.strip() for part in cookie.split(";")]
    closed = {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= set(flags)
    domain = any(flag.lower().startswith("domain") for flag in flags)
    return not name.startswith("__Host-") or not closed or domain
