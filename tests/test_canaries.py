"""No number, address, word, e-mail, cookie or key stands where it has no business.

A small board holds secrets that are known. Everybody opens everything, and what was
found where must be exactly what the rules allow, so that a search which finds nothing
at all fails, too.
"""

import base64
import json
import sqlite3
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event, select

from tests import pages
from tests.accounts import held
from tests.canaries import Book, Walk, words_and_source
from tests.factories import make_account, make_session
from tests.reports.cases import report_person
from tests.soaks.forging import listening
from tests.trades import stages
from tests.worlds import make_listing
from tradeboard.accounts import passwords, totp
from tradeboard.accounts.models import (
    Account,
    Device,
    DeviceUse,
    Hold,
    RecoveryCode,
    Totp,
)
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Entry
from tradeboard.core import clock, keyring
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades.models import Leg, Trade
from tradeboard.trades.rules.states import Condition
from tradeboard.trades.services import closing as endings
from tradeboard.trades.services import negotiation, phone, shipping

A_DAY = timedelta(days=1)
OWN_PAGES = ("/me", "/me/email", "/me/mails")
SECRETS = (
    "number",
    "address",
    "words",
    "cookie",
    "session",
    "password",
    "key",
    "factor",
)


class World:
    """People with secrets, and a trade in each state between two of them."""

    def __init__(self, app):
        self.app, self.book = app, Book()
        self.now = clock.now()
        self.trades: dict[str, int] = {}
        self.accounts: dict[str, Account] = {}
        self.clients: dict = {}
        self.count = 0

    def person(self, handle, **columns):
        """Make somebody whose address is known."""
        address = f"{handle}.hinagiku@example.org"
        account = make_account(handle, email=address, **columns)
        self.accounts[handle] = account
        self.book.add(f"email {handle}", address)
        return account

    def browser(self, handle):
        """Let somebody come back in a browser that is known, and write once."""
        client = self.app.test_client()
        token = make_session(self.accounts[handle])
        with client.session_transaction() as session:
            session["_user_id"] = token
        pages.submit(client, "/help/rules", "/preferences")
        cookie = client.get_cookie("device").value
        self._have_factors(handle)
        self.book.add(f"cookie {handle}", cookie.split(".")[2])
        self.book.add(f"session {handle}", token)
        self.clients[handle] = client

    def _have_factors(self, handle):
        """Let somebody have an app for codes, and a recovery code."""
        whose, code = self.accounts[handle].id, totp.new_recovery_codes()[0]
        secret, at = totp.new_secret(), self.now
        hashed = passwords.hash_password(code)
        own = {"account_id": whose}
        with transaction():
            sealed = totp.seal(secret, whose)
            db.session.add(Totp(**own, secret=sealed, confirmed_at=at))
            db.session.add(RecoveryCode(**own, code_hash=hashed))
        self.book.add(f"factor {handle}", secret)
        self.book.add(f"factor code {handle}", code)

    def hold(self, handle, barred):
        """Let somebody write from the browser of a listed person."""
        barred = self.accounts[barred]
        with transaction():
            used = select(DeviceUse.device_id).where(DeviceUse.account_id == barred.id)
            device = db.session.get(Device, db.session.scalars(used).first())
        held.watch_device(barred, device, at=self.now)
        held.see(self.accounts[handle], device, now=self.now)
        assert held.standing(self.accounts[handle]) is Standing.HELD

    def propose(self, name, one, other, days_ago):
        """Let two negotiate about a listing."""
        self.at = self.now - days_ago * A_DAY
        one, other = self.accounts[one], self.accounts[other]
        listing = make_listing(one, at=self.at)
        with transaction():
            items = stages.items(listing)
            trade = negotiation.propose(listing.id, items, "", by=other, now=self.at)
            self.trades[name] = trade.id
        return self.trades[name], one, other

    def agree(self, name, one, other, days_ago):
        """Let two agree."""
        trade_id, one, other = self.propose(name, one, other, days_ago)
        with transaction():
            negotiation.accept(trade_id, 1, by=one, now=self.at)
        return trade_id, one, other

    def seal(self, name, person):
        """Let somebody seal a number and an address that nobody else has."""
        self.count += 1
        key, place = f"+81903172{self.count:02}46", f"HINAGIKU-{self.count:02}-4711"
        self.book.add_number(f"{name} {person.handle}", key)
        self.book.add(f"address {name} {person.handle}", place)
        at, typed = self.at + timedelta(hours=1), f"0{key[3:]}"
        home = f"東京都千代田区{place} {person.handle}"
        with transaction():
            phone.seal(self.trades[name], typed, "JP", home, by=person, now=at)

    def reveal(self, name, one, other, days_ago):
        """Let both seal."""
        trade_id, one, other = self.agree(name, one, other, days_ago)
        for person in (one, other):
            self.seal(name, person)
        trade = db.session.get(Trade, trade_id)
        for person in (one, other):
            words = phone.words_of(trade, person.id)
            self.book.add(f"words {name} {person.handle}", *words)
        return trade_id, one, other

    def confirm(self, name, one, other, days_ago):
        """Let both speak."""
        trade_id, one, other = self.reveal(name, one, other, days_ago)
        at = self.at + timedelta(hours=2)
        with transaction():
            for typist, speaker in ((one, other), (other, one)):
                trade = db.session.get(Trade, trade_id)
                heard = " ".join(phone.words_of(trade, speaker.id))
                phone.try_words(trade_id, heard, called=False, by=typist, now=at)
        return trade_id, one, other

    def ship(self, name, one, other, days_ago, senders=2):
        """Let one, or both, dispatch."""
        trade_id, one, other = self.confirm(name, one, other, days_ago)
        at = self.at + timedelta(hours=3)
        for sender in (one, other)[:senders]:
            with transaction():
                leg = db.session.get(Trade, trade_id).leg_from(sender.id)
                shipping.dispatch(leg.id, by=sender, now=at, **stages.YAMATO)
        return trade_id, one, other

    def receive(self, name, one, other, days_ago):
        """Let both parcels come."""
        trade_id, one, other = self.ship(name, one, other, days_ago)
        at = self.at + A_DAY
        for recipient, sender in ((one, other), (other, one)):
            with transaction():
                shipping.confirm_receipt(
                    db.session.get(Trade, trade_id).leg_from(sender.id).id,
                    arrived_on=at.date(),
                    condition=Condition.AS_AGREED,
                    words="",
                    by=recipient,
                    now=at,
                )


@pytest.fixture
def heard():
    """Collect what all loggers say, in the shape that a server writes."""
    with listening() as text:
        yield text


@pytest.fixture
def world(app, heard):
    """Return the board with its secrets."""
    return fill(app)


def fill(app):
    """Make the board with its secrets."""
    world = World(app)
    for handle in ("mina", "kuro", "nagi", "lost"):
        world.person(handle)
    world.person("moda", role=Role.MODERATOR)
    world.person("boss", role=Role.ADMIN)
    world.ship("defaulted", "mina", "lost", 20, senders=1)
    cancelled, _, _ = world.reveal("cancelled", "mina", "kuro", 9)
    with transaction():
        endings.cancel_quiet(cancelled, now=world.at + 7 * A_DAY)
    world.receive("received", "mina", "kuro", 6)
    world.ship("shipped", "mina", "kuro", 5)
    world.confirm("confirmed", "mina", "kuro", 4)
    world.reveal("revealed", "mina", "kuro", 3)
    world.agree("agreed", "mina", "kuro", 2)
    world.seal("agreed", world.accounts["mina"])
    world.propose("negotiating", "mina", "kuro", 1)
    assert sweep_overdue_trades(world.now).done == 1
    for handle in world.accounts:
        world.browser(handle)
    world.hold("nagi", "lost")
    report_person(world.accounts["mina"], world.accounts["kuro"])
    world.clients["nobody"] = app.test_client()
    for purpose, keys in keyring.ring().keys.items():
        for kid, key in keys.items():
            for spelled in (base64.b64encode(key).decode(), key.hex()):
                world.book.add(f"key {purpose} {kid}", spelled)
    assert world.accounts["lost"].standing is Standing.LISTED
    return world


def gaps_of(world, who):
    """Return what fits into the gaps of an address.

    To outsiders trades differ less than to the two, and only staff reads mail.
    """
    two = [world.trades[name] for name in ("shipped", "defaulted")]
    names = world.trades if who in ("mina", "kuro") else ("revealed", "confirmed")
    sent = select(Leg.id).where(Leg.trade_id.in_(two), Leg.dispatched_at.is_not(None))
    trades = select(Trade).where(Trade.id.in_(two))
    mails = db.session.scalars(select(OutboxMail).order_by(OutboxMail.id))
    one_of_each = {mail.template: mail.id for mail in mails}
    return {
        "trade_id": [world.trades[name] for name in names],
        "leg_id": db.session.scalars(sent).all(),
        "listing_id": [trade.listing_id for trade in db.session.scalars(trades)],
        "account_id": [world.accounts[name].id for name in ("mina", "lost")],
        "entry_id": db.session.scalars(select(Entry.id)).all(),
        "hold_id": db.session.scalars(select(Hold.id)).all(),
        "mail_id": sorted(one_of_each.values()) if who == "moda" else [1],
        "handle": ["mina", "lost"],
        "code": db.session.scalars(select(Device.code)).all()[:2],
        "slug": ["rules"],
        "report_id": [1],
        "name": ["trades"],
    }


def allowed(world):
    """Return where a secret may stand: (who, path, name)."""
    path = {name: f"/trades/{trade_id}" for name, trade_id in world.trades.items()}
    two = (("mina", "kuro"), ("kuro", "mina"))
    found = set()
    for viewer, partner in two:
        call = f"{path['revealed']}/call"
        found.add((viewer, call, f"number revealed {partner}"))
        found.add((viewer, call, f"words revealed {viewer}"))
        for name in ("confirmed", "shipped"):
            place = f"{path[name]}/dispatch"
            found.add((viewer, place, f"address {name} {partner}"))
    own = {(who, path, f"email {who}") for who in world.accounts for path in OWN_PAGES}
    return found | own


def walkers(world):
    """Return who opens everything; the pages are the same on both databases."""
    if db.engine.dialect.name == "sqlite":
        return world.clients
    return {who: world.clients[who] for who in ("kuro", "moda")}


def walked(world):
    """Open everything as everybody: where each secret stands, and what is wrong."""
    seen, wrong = set(), []
    for who, client in walkers(world).items():
        for path, answer in Walk(world.app, client, gaps_of(world, who)).run():
            names = world.book.found(words_and_source(answer))
            seen |= {(who, path, name) for name in names}
            if answer.status_code >= 500 and path != "/healthz/scheduler":
                wrong.append((who, path, answer.status_code))
            secret = [name for name in names if name.startswith(SECRETS)]
            if secret and answer.headers["Cache-Control"] != "no-store":
                wrong.append((who, path, secret))
    return seen, wrong


def assert_mails_and_records_are_clean(world):
    """Mails hold no secret, and nobody's address but the reader's own."""
    db.session.rollback()
    mails = db.session.scalars(select(OutboxMail)).all()
    assert len({mail.template for mail in mails}) > 8
    for mail in mails:
        names = world.book.found("\n".join(mailer.render(mail)))
        owner = db.session.get(Account, mail.account_id).handle
        assert names <= {f"email {owner}"}, (mail.template, names)


def rows_of(table):
    """Return every row of a table, each column as text."""
    for row in db.session.execute(select(table)).mappings():
        for column, value in row.items():
            if isinstance(value, dict | list):
                yield column, json.dumps(value, ensure_ascii=False)
            elif value is not None:
                yield column, str(value)


def assert_the_database_holds_none(world):
    """Columns hold e-mail addresses where they must, and nothing else in clear."""
    db.session.rollback()
    found = {}
    for table in db.metadata.sorted_tables:
        for column, value in rows_of(table):
            if names := world.book.found(value):
                found.setdefault(f"{table.name}.{column}", set()).update(names)
    assert set(found) == CLEAR_COLUMNS
    assert all(name.startswith("email") for names in found.values() for name in names)
    if db.engine.dialect.name == "sqlite":
        assert_the_file_holds_none(world)


def assert_the_file_holds_none(world):
    """The bytes of the file and of its log are searched, too, before and after."""
    db.session.remove()
    file = Path(db.engine.url.database)
    assert world.book.found(bytes_of(file)) >= {"email mina", "email lost"}
    for _ in range(2):
        names = world.book.found(bytes_of(file))
        assert {name for name in names if not name.startswith("email")} == set()
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def bytes_of(file):
    """Return all that stands in a database's files, as text."""
    parts = [Path(f"{file}{suffix}") for suffix in ("", "-wal")]
    whole = b"".join(part.read_bytes() for part in parts if part.exists())
    return whole.decode("utf-8", "replace")


CLEAR_COLUMNS = {
    "account.email",
    "account.email_wire",
    "account.email_login",
    "outbox_mail.to",
}


VAIN = {
    "number": "090-3172-9946",
    "address": "東京都HINAGIKU-99-4711 だれか",
    "email": "nobody.hinagiku@example.net",
    "password": "kanariya hinagiku password",
}


def sent_in_vain(world):
    """Send what is refused in each way; yield the status to expect, and the answer."""
    kuro, mina, nobody = (world.clients[who] for who in ("kuro", "mina", "nobody"))
    call = f"/trades/{world.trades['agreed']}/call"
    sealed = {name: VAIN[name] for name in ("number", "address")}
    in_vain = {name: VAIN[name] for name in ("email", "password")}
    asked = "?handle=090-3172-9946&number=09031729946&email=nobody.hinagiku@example.net"
    two = sealed | {"number": "090-3172-9946 090-3172-9946"}

    yield 422, pages.submit(kuro, call, f"{call}/seal", **two)
    yield 400, kuro.post(f"{call}/seal", data=sealed)
    yield 404, kuro.get(f"/trades/99999/call{asked}")
    yield 404, world.clients["nagi"].get(call + asked)
    yield 404, mina.get(f"/desk{asked}")
    yield 405, mina.delete(f"/trades{asked}", data=sealed)
    yield 422, pages.submit(nobody, "/login", "/login", **in_vain)
    yield 422, pages.submit(nobody, "/register", "/register", handle="x", **in_vain)
    yield 404, nobody.get(f"/api/v1/nothing{asked}")
    yield 401, nobody.post("/api/v1/blacklist/check", data=sealed)
    yield 405, nobody.put("/api/v1/blacklist/check", data=sealed)


def test_what_is_refused_goes_back_to_its_writer_and_nowhere_else(world, heard):
    world.book = Book()
    world.book.add_number("typed", "+819031729946")
    world.book.add("address typed", "HINAGIKU-99-4711")
    world.book.add("email typed", VAIN["email"])
    world.book.add("password typed", VAIN["password"])
    back = {}

    for status, answer in sent_in_vain(world):
        assert answer.status_code == status, (status, answer.request.path, answer.text)
        names = world.book.found(answer.get_data(as_text=True))
        back.setdefault((status, answer.request.path), set()).update(names)

    call = f"/trades/{world.trades['agreed']}/call/seal"
    sealed = {"number typed", "address typed"}
    assert {at: names for at, names in back.items() if names} == {
        (422, call): sealed,
        (400, call): sealed,
        (422, "/login"): {"email typed"},
        (422, "/register"): {"email typed"},
    }
    assert world.book.found(heard.getvalue()) == set()
    assert len(heard.getvalue().splitlines()) > len(back)
    for line in heard.getvalue().splitlines():
        assert set(json.loads(line)) >= {"event", "level", "timestamp"}
    for table in db.metadata.sorted_tables:
        for column, value in rows_of(table):
            assert world.book.found(value) == set(), (table.name, column)


def test_a_database_that_fails_takes_no_personal_data_into_the_log(world, heard):
    world.book.add("email typed", VAIN["email"])
    world.book.add("password typed", VAIN["password"])
    world.book.add_number("typed", "+819031729946")
    world.book.add("address typed", "HINAGIKU-99-4711")
    call = f"/trades/{world.trades['agreed']}/call"
    page = pages.get(world.clients["kuro"], call)

    with failing("INSERT INTO account"):
        fields = {
            "handle": "だれか",
            "email": VAIN["email"],
            "password": VAIN["password"],
        }
        first = pages.submit(
            world.app.test_client(), "/register", "/register", **fields
        )
    with failing("UPDATE phone_side"):
        sealed = {"number": VAIN["number"], "address": VAIN["address"]}
        second = pages.send(world.clients["kuro"], call, page, f"{call}/seal", **sealed)

    said = heard.getvalue()
    assert (first.status_code, second.status_code) == (503, 503)
    assert said.count("database: ") == 2
    assert world.book.found(said + first.text + second.text) == set()


@contextmanager
def failing(start):
    """Let each statement that begins so fail in the database, as a full disk would."""

    def spoil(connection, cursor, statement, parameters, context, many):
        if statement.startswith(start):
            return (
                "SELECT * FROM a_table_that_is_missing WHERE " + statement,
                parameters,
            )
        return statement, parameters

    event.listen(db.engine, "before_cursor_execute", spoil, retval=True)
    try:
        yield
    finally:
        event.remove(db.engine, "before_cursor_execute", spoil)


def test_the_search_finds_what_was_planted(world):
    key = "+819031724646"
    world.book.add_number("planted", key)
    world.book.add("words planted", "さくら", "みかん")
    for spelled in (key, "09031724646", "090-3172-4646", "+81 90-3172-4646"):
        assert world.book.found(f"Call {spelled} now.") == {"number planted"}
    for spelled in ("さくら みかん", "さくら、みかん", "さくら\n 2 みかん"):
        assert world.book.found(f"「{spelled}」") == {"words planted"}
    assert world.book.found("みかんとさくら") == set()
    with transaction():
        world.accounts["nagi"].prefecture = "090-3172-4646"

    with pytest.raises(AssertionError):
        assert_the_database_holds_none(world)
