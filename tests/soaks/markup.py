"""S7: markup that somebody typed is shown as it was typed, and nothing is inline.

Every row of every table that holds words gets markup into them; then everybody opens
everything. Every form is sent with markup in each of its fields, and undone. In the
long run Chromium opens all pages, too, and must neither run nor refuse anything.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from xml.etree import ElementTree

from sqlalchemy import JSON

from tests.browser import chromium, filled
from tests.canaries import Walk
from tests.page_forms import forms
from tests.soaks.house import House
from tests.soaks.telling import Telling
from tradeboard.core.db import db

MARK = "zq7"
# Without a double quote, so that it may stand in JSON as it is.
TYPED = f"'><img src=/x class={MARK} onerror=alert({MARK})>"
SHARP = f'"{TYPED}</textarea></script>{{{{7*7}}}}'
ESCAPED = (f"&gt;&lt;img src=/x class={MARK}", f"\\u003cimg src=/x class={MARK}")
FORBIDDEN = {"style", "iframe", "frame", "object", "embed", "base", "applet", "math"}
LOADS = {"img": "src", "script": "src", "link": "href", "source": "src", "use": "href"}
ADDRESSES = {"href", "src", "action", "formaction", "hx-get", "hx-post", "poster"}
FILES = ("image/", "application/zip")
QUICK = ("kuro", "boss")
# What ends the session or the account of the one who walks.
LAST = ("/logout", "/me/close", "/me/devices/sign-out", "/me/password", "/login")


class Page(HTMLParser):
    """Collects what no page may have."""

    def __init__(self, text: str):
        super().__init__()
        self.wrong: list[str] = []
        self.script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        named = {name: value or "" for name, value in attrs}
        self.wrong += [f"<{tag} {name}>" for name in named if _is_inline(name)]
        if tag in FORBIDDEN or MARK in named.get("class", ""):
            self.wrong.append(f"<{tag}>")
        if tag == "script":
            self.script = "src" not in named
        names_only = named.get("rel") in {"canonical", "alternate"}
        loaded = "/" if names_only else named.get(LOADS.get(tag, ""), "/")
        if not loaded.startswith(("/", "#")) or loaded.startswith("//"):
            self.wrong.append(f"<{tag}> loads {loaded}")
        self.wrong += [
            f"<{tag} {name}={value[:40]}>"
            for name, value in named.items()
            if name in ADDRESSES and _runs(value)
        ]

    def handle_data(self, data):
        if self.script and data.strip():
            self.wrong.append(f"a script: {data.strip()[:40]}")

    def handle_endtag(self, tag):
        self.script = False


def _is_inline(name: str) -> bool:
    return name.startswith("on") or name in {"style", "srcdoc"}


def _runs(address: str) -> bool:
    bare = "".join(address.split()).lower()
    return bare.startswith(("javascript:", "data:", "vbscript:"))


def wrong_with(answer) -> list[str]:
    """Say what is wrong with an answer of any kind."""
    text = answer.get_data(as_text=True)
    if answer.mimetype == "text/html":
        return Page(text).wrong
    if answer.mimetype.endswith("xml"):
        made = [e.tag for e in ElementTree.fromstring(text).iter() if "img" in e.tag]  # noqa: S314 (our own answer)
        return [f"<{tag}>" for tag in made]
    is_data = answer.headers["X-Content-Type-Options"] == "nosniff"
    return [] if is_data else [f"{answer.mimetype} may be taken for a page"]


def s7(app, *, quick: bool) -> dict:
    """Plant, walk, send, and in the long run look with a browser."""
    told = Telling("S7", quick)
    with closing(House(app)) as house:
        return _told_of(house, told, quick=quick)


def _told_of(house: House, told: Telling, *, quick: bool) -> dict:
    columns = plant(house)
    walkers = QUICK if quick else (*house.accounts, None)
    gaps = _gaps(house, most=3 if not quick else 1)
    seen = pages = sent = 0
    for who in walkers:
        forms_of: dict = {}
        for path, answer in Walk(house.app, house.client(who), gaps).run():
            pages += 1
            if answer.mimetype.startswith(FILES):
                continue
            text = answer.get_data(as_text=True)
            seen += any(escaped in text for escaped in ESCAPED)
            works = answer.status_code < 500 or path == "/healthz/scheduler"
            told.check(works, f"{who} {path}: {answer.status_code}")
            for wrong in wrong_with(answer):
                told.check(False, f"{who} {path}: {wrong}")
            _collect(answer, path, forms_of)
        house.moment.back()
        sent += _send_all(house, who, forms_of, told, whole=not quick)
    told.check(seen >= 10, f"only {seen} pages show what was planted")
    extras = _in_chromium(house, told) if not quick else {}
    return told.tell(
        n=pages + sent, pages=pages, shown=seen, forms=sent, columns=columns, **extras
    )


def plant(house: House) -> int:
    """Put the markup into every word of the lives; return in how many columns."""
    db.session.remove()
    found = 0
    with closing(sqlite3.connect(house.moment.file)) as connection:
        for table in db.metadata.sorted_tables:
            for column in table.columns:
                mark = TYPED if isinstance(column.type, JSON) else SHARP
                name = f'"{column.name}"'
                changed = connection.execute(
                    f'UPDATE "{table.name}" SET {name} = replace({name}, ?, ?) '  # noqa: S608 (names of our own)
                    f"WHERE {name} LIKE '%-canary%' AND typeof({name}) = 'text'",
                    ["-canary", f"-canary{mark}"],
                )
                found += changed.rowcount > 0
        # The lives say something about a hold without saying when.
        connection.execute("UPDATE hold SET stated_at = made_at")
        connection.commit()
    house.moment.keep()
    return found


def _gaps(house: House, *, most: int) -> dict[str, list]:
    """Return what fits into the gaps of an address: of each kind so many."""
    gaps: dict[str, list] = {}
    for thing in house.things.values():
        for name, value in thing.gaps.items():
            known = gaps.setdefault(name, [])
            if value not in known and len(known) < most:
                known.append(value)
    told = ("told", "shipped", "revealed")[:most]
    return gaps | {"trade_id": [house.trades[name] for name in told]}


def _collect(answer, path: str, known: dict) -> None:
    """Remember one form of each shape."""
    if answer.status_code != 200 or answer.mimetype != "text/html":
        return
    for form in forms(answer.get_data(as_text=True)):
        shape = "".join(c for c in form.action if not c.isdigit()), tuple(form.names)
        if form.method == "post" and not form.action.startswith(LAST):
            known.setdefault(shape, (path, form))


def _send_all(house: House, who, known: dict, told: Telling, *, whole: bool) -> int:
    """Send each form with markup in every field, and look at the page that follows."""
    client, sent = house.client(who), 0
    for path, form in known.values():
        for data in _filled(form, whole=whole):
            answer = client.post(
                form.action or path, data=data, headers={"Origin": "http://localhost"}
            )
            sent += 1
            if answer.status_code in (302, 303):
                answer = client.get(answer.headers["Location"])
            told.check(answer.status_code < 500, f"{who} {form.action}: fails")
            for wrong in wrong_with(answer):
                told.check(False, f"{who} after {form.action}: {wrong}")
        house.moment.back()
    return sent


def _filled(form, *, whole: bool) -> Iterator[dict]:
    """Fill all that was empty, so that it is taken; then all that there is."""
    given = form.values()
    kept = {"csrf_token", "submit_id"}
    for button in form.buttons[:1]:
        if button.name:
            given[button.name] = button.value
            kept.add(button.name)
    yield given | {name: SHARP for name in form.names - kept if not given.get(name)}
    if whole:
        yield given | {name: SHARP for name in form.names - kept}


def _in_chromium(house: House, told: Telling) -> dict:
    """Open what everybody reaches in a browser; it neither runs nor refuses a thing."""
    path = chromium.find()
    if path is None:
        told.check(False, "no Chromium was found")
        return {}
    from playwright.sync_api import sync_playwright

    dialogs: list[str] = []
    complaints = chromium.Complaints()
    opened = 0
    with filled.served(house.app) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
        for who in (None, "kuro", "lost", "boss"):
            walk = Walk(house.app, house.client(who), _gaps(house, most=2))
            paths = [
                path
                for path, answer in walk.run()
                if answer.status_code == 200 and answer.mimetype == "text/html"
            ]
            with chromium.person(browser, url, complaints) as page:
                page.on(
                    "dialog", lambda one: (dialogs.append(one.message), one.dismiss())
                )
                _be(page, house, who, url)
                for path in paths:
                    page.goto(path, wait_until="load")
                    opened += 1
        browser.close()
    refused = [one for one in complaints if "Content Security Policy" in one]
    told.check(not dialogs, f"dialogs: {dialogs[:3]}")
    told.check(not refused, f"refused: {refused[:3]}")
    return {"opened": opened, "dialogs": len(dialogs), "reports": len(refused)}


def _be(page, house: House, who, url: str) -> None:
    named = house.app.config["SESSION_COOKIE_NAME"]
    cookie = house.client(who).get_cookie(named)
    if cookie is not None:
        page.context.add_cookies([{"name": named, "value": cookie.value, "url": url}])
