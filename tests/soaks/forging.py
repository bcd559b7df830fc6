"""S10 and S14: what a request says of itself is believed nowhere, and forges no log."""

import io
import json
import logging
from contextlib import contextmanager

import structlog
from sqlalchemy import select

from tests import pages
from tests.factories import count, make_account, make_session
from tests.soaks.telling import Telling
from tradeboard.accounts.models import Device
from tradeboard.core.db import db
from tradeboard.core.throttle import ThrottleBucket
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.web import logs

EVIL = "evil.example"
HOSTS = (
    EVIL,
    f"{EVIL}:80",
    f"localhost.{EVIL}",
    f"{EVIL}#localhost",
    f"localhost@{EVIL}",
    f"localhost:80@{EVIL}",
    f"localhost, {EVIL}",
    f"localhost {EVIL}",
    f"localhost\t{EVIL}",
    f"{EVIL}/localhost",
    "[::1",
    "127.0.0.1.nip.io",
    "x" * 3000,
    "",
)
FORGED = {
    "Forwarded": f"for=203.0.113.9;host={EVIL};proto=https",
    "X-Forwarded-For": "203.0.113.9",
    "X-Forwarded-Host": EVIL,
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Port": "4443",
    "X-Forwarded-Prefix": f"//{EVIL}",
    "X-Forwarded-Server": EVIL,
    "X-Forwarded-Scheme": "https",
    "X-Forwarded-Ssl": "on",
    "Front-End-Https": "on",
    "X-Host": EVIL,
    "X-Real-IP": "203.0.113.9",
    "X-Client-IP": "203.0.113.9",
    "X-Cluster-Client-IP": "203.0.113.9",
    "True-Client-IP": "203.0.113.9",
    "CF-Connecting-IP": "203.0.113.9",
    "X-Original-URL": "/desk",
    "X-Rewrite-URL": "/desk",
    "X-Original-Host": EVIL,
    "X-HTTP-Method-Override": "DELETE",
    "X-Method-Override": "PUT",
    "X-DCMGUID": "0abcdef",
    "X-UP-SUBNO": "05001234567890_ma",
    "X-JPHONE-UID": "a123456",
    "X-EM-UID": "u123456",
    "X-Remote-User": "moda",
    "Remote-User": "moda",
    "X-Authenticated-User": "moda",
}
SPELLED = (str, lambda name: name.replace("-", "_"), str.lower, str.upper)
SHARP = "a\rb\nc\x1b[31md\0e\x7ff\x85g\u2028h\u202ei"
IN_ADDRESS = "a%0D%0Ab%1B%5B31m%7F%C2%85%E2%80%A8%E2%80%AE"
FORMS = (("/login", "/login"), ("/me", "/logout"))
SECRET = "kanariya-hinagiku-4711"
UNSEEN = [chr(n) for n in (*range(32), *range(127, 160), 0x2028, 0x2029, 0x202E)]


def s10(app, *, quick: bool) -> dict:
    """Forge each header in each spelling; nothing is let through, counted or linked."""
    told = Telling("S10", quick)
    before, app.config["TRUSTED_HOSTS"] = app.config["TRUSTED_HOSTS"], ["localhost"]
    try:
        tried = _hosts(app, told) + _headers(app, told) + _mails(app, told)
    finally:
        app.config["TRUSTED_HOSTS"] = before
    return told.tell(n=tried, bypasses=len(told.wrong))


def _hosts(app, told: Telling) -> int:
    client = app.test_client()
    for path in ("/", "/login", "/static/site.css", "/api/v1/blacklist/check?handle=a"):
        for host in HOSTS:
            answer = client.get(path, environ_overrides={"HTTP_HOST": host})
            is_told = EVIL in str(answer.headers) + answer.get_data(as_text=True)
            answer.close()
            refused = answer.status_code == 400 or not host
            told.check(refused, f"{path} answers {host[:40]!r}: {answer.status_code}")
            told.check(not is_told, f"{path} repeats {host[:40]!r}")
    return 4 * len(HOSTS)


def _headers(app, told: Telling) -> int:
    make_account("moda")
    plain = app.test_client().get("/desk").status_code, _buckets(app, {})
    tried = 0
    for name, value in FORGED.items():
        for spell in SPELLED:
            named = f"HTTP_{spell(name).upper().replace('-', '_')}"
            forged = {named: value}
            tried += 1
            found = _desk(app, forged, told), _buckets(app, forged)
            told.check(found == (plain[0], 0), f"{name}: {found}, not {plain}")
    told.check(plain[1] == 1, "nobody is counted")
    told.check(count(Device) == 0, "a header is taken for a browser")
    return tried


def _desk(app, forged: dict, told: Telling) -> int:
    """Ask for a page of staff; nothing may be repeated or believed."""
    answer = app.test_client().get("/desk", environ_overrides=forged)
    whole = str(answer.headers) + answer.get_data(as_text=True)
    told.check(EVIL not in whole, f"{forged} is repeated")
    told.check("Secure" not in whole, f"{forged} makes it https")
    return answer.status_code


def _buckets(app, forged: dict) -> int:
    """Return how many new lines are counted when somebody asks so."""
    before = count(ThrottleBucket)
    app.test_client().get("/suggest?q=a", environ_overrides=forged).close()
    db.session.rollback()
    return count(ThrottleBucket) - before


def _mails(app, told: Telling) -> int:
    """Ask for a new password with every header forged; the link is ours."""
    make_account("dora", email="dora@example.org")
    client = app.test_client()
    fields = pages.form_fields(pages.get(client, "/reset"), "/reset")
    fields |= {"email": "dora@example.org"}
    forged = {f"HTTP_{name.upper().replace('-', '_')}": v for name, v in FORGED.items()}
    client.post("/reset", data=fields, environ_overrides=forged)
    db.session.rollback()
    mails = db.session.scalars(select(OutboxMail)).all()
    told.check(len(mails) == 1, f"{len(mails)} mails")
    for mail in mails:
        text = "\n".join(mailer.render(mail))
        told.check(app.config["PUBLIC_URL"] in text, "the link is not ours")
        told.check(EVIL not in text, "the link is theirs")
    return len(mails)


@contextmanager
def listening():
    """Collect what all loggers say, in the shape that a server writes."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level, off = root.handlers[:], root.level, logging.root.manager.disable
    text = io.StringIO()
    logging.disable(logging.NOTSET)
    logs.set_up("DEBUG")
    root.handlers[0].setStream(text)
    try:
        yield text
    finally:
        logging.disable(off)
        root.handlers[:], root.level = handlers, level
        root.setLevel(level)
        structlog.configure(**before)


def s14(app, *, quick: bool) -> dict:
    """Put what is sharp into each field and header of each address: a line each."""
    told = Telling("S14", quick)
    clients = [app.test_client(), app.test_client()]
    token = make_session(make_account("dora", email=f"{SECRET}@example.org"))
    with clients[1].session_transaction() as session:
        session["_user_id"] = token
    csrf = [
        pages.form_fields(pages.get(client, page), action)["csrf_token"]
        for client, (page, action) in zip(clients, FORMS, strict=True)
    ]
    with listening() as text:
        asked = sum(
            _sharpen(app, client, csrf[n])
            for n, client in enumerate(clients if not quick else clients[:1])
        )
    lines = text.getvalue().split("\n")
    told.check(lines.pop() == "", "the last line is cut")
    told.check(not any(sign in line for line in lines for sign in UNSEEN), "unseen")
    requests = 0
    for line in lines:
        try:
            known = json.loads(line)
        except ValueError:
            told.check(False, f"no line: {line[:200]!r}")
            continue
        requests += known.get("logger") == "tradeboard.request"
        told.check(known.keys() <= logs.KEYS, f"more than is known: {known.keys()}")
    told.check(requests == asked, f"{requests} lines of {asked} requests")
    for secret in (SECRET, token, *csrf):
        told.check(secret not in text.getvalue(), "a secret is in the log")
    return told.tell(n=asked, lines=len(lines))


def _sharpen(app, client, csrf: str) -> int:
    """Ask for every address, and send to every address, with what is sharp."""
    sharp = {
        "HTTP_USER_AGENT": SHARP,
        "HTTP_REFERER": f"http://localhost/{SHARP}",
        "HTTP_ACCEPT_LANGUAGE": SHARP,
        "HTTP_X_REQUEST_ID": SHARP,
        "HTTP_X_FORWARDED_FOR": SHARP,
        "HTTP_IF_NONE_MATCH": SHARP,
        "HTTP_AUTHORIZATION": f"Bearer {SECRET}\n{SHARP}",
    }
    fields = ("email", "password", "handle", "number", "address", "words", "q", SHARP)
    typed = dict.fromkeys(fields, f"{SECRET}{SHARP.replace(chr(0), '')}")
    typed |= {"csrf_token": csrf}
    asked = 0
    for rule in app.url_map.iter_rules():
        if rule.endpoint == "static" or "logout" in rule.rule:
            continue
        path = _filled(rule)
        for method in sorted(rule.methods & {"GET", "POST"}):
            query = f"{path}?q={IN_ADDRESS}&{SECRET}={SECRET}"
            data = typed if method == "POST" else None
            client.open(
                query, method=method, data=data, environ_overrides=sharp
            ).close()
            asked += 1
    for path in (f"/{IN_ADDRESS}", f"/u/{IN_ADDRESS}", f"/reset/{SECRET}{IN_ADDRESS}"):
        client.get(path, environ_overrides=sharp).close()
        asked += 1
    return asked


def _filled(rule) -> str:
    """Return an address of a rule whose gaps are filled with anything."""
    parts = []
    for is_dynamic, part in rule._trace:
        parts.append(
            ("1" if "int" in rule.rule else IN_ADDRESS) if is_dynamic else part
        )
    return "".join(parts).lstrip("|")
