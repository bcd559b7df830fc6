"""The worlds that are measured are what the board itself would have written."""

import shutil
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from sqlalchemy import func, select

from bench import cast, data, measure, report, trading, writing
from bench.asking import READING, Cast, limit_of
from bench.board import found_by
from bench.measure import Options, Setting
from bench.people import Person
from bench.words import blocks
from bench.world import KINDS, World
from tests.factories import in_transaction
from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account, Device, Handle
from tradeboard.accounts.rules import handles, phone
from tradeboard.accounts.services import standing
from tradeboard.blacklist import queries as blacklist
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.blacklist.models import Change, Entry
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.listings import queries as listings
from tradeboard.listings.models import Listing, ListingToken
from tradeboard.listings.queries import Filters
from tradeboard.listings.services import indexing
from tradeboard.trades import queries as trades
from tradeboard.trades.models import Trade
from tradeboard.trades.services import contacts

AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
TINY = World(400, AT)
KEYS = {
    "case", "db", "size", "rps", "p50_ms", "p99_ms", "statements", "limit_rps", "ratio",
}  # fmt: skip


@pytest.fixture
def world(app):
    """Fill the empty database with a tiny world."""
    db.session.remove()
    with data.written(app) as connection:
        data.fill(connection, TINY)
    return TINY


def tokens_of(listing_id):
    """Return by what a listing is found."""
    found = select(ListingToken.token, ListingToken.posted)
    return set(db.session.execute(found.where(ListingToken.listing_id == listing_id)))


def test_a_tiny_world_is_what_the_services_write_and_every_case_is_answered(
    world, app, ring, tmp_path, monkeypatch
):
    its_rows_are_those_of_the_services()
    if db.engine.dialect.name == "sqlite":
        monkeypatch.setenv("TRADEBOARD_BENCH_FOLDER", str(tmp_path))
        shutil.copy(ring, tmp_path / "keyring.json")
        setting = setting_of(app, world, rounds=1, seconds=0.2)
        every_case_is_answered_and_what_is_written_stays(app, setting)
        a_case_is_measured_beside_the_limit(setting)
    its_people_trade_and_are_listed_like_any_others(world)


def its_rows_are_those_of_the_services():
    """Do anew what the services derive; nothing may change."""
    sizes = {Listing: 400, Account: 40, Entry: 40, Trade: 400 + 8}
    for model, size in sizes.items():
        assert db.session.scalar(select(func.count()).select_from(model)) == size

    for listing_id in (1, 8, 15, 19, 20, 400):
        listing = listings.get_listing(listing_id)
        before = tokens_of(listing_id), listing.search_key, listing.text_digest
        keys = [line.key for line in listing.lines]
        with in_transaction():
            indexing.index(db.session.merge(listing))
        again = listings.get_listing(listing_id)
        assert (tokens_of(listing_id), again.search_key, again.text_digest) == before
        assert [line.key for line in again.lines] == keys
    assert found_by(blocks(1, KINDS)[0]) == {token for token, _ in tokens_of(1)}

    for handle in db.session.scalars(select(Handle)):
        assert handle.skeleton == handles.skeleton(handle.shown)
    for person in db.session.scalars(select(Account)).all():
        mailbox = accounts.email_keys(person.email_wire)
        assert person.email_key in mailbox
        with in_transaction():
            assert standing.recompute(person.id, now=AT) is person.standing


def its_people_trade_and_are_listed_like_any_others(world):
    """Open a room, look names up, read the feed, and sweep."""
    trade = trades.get_trade(7)
    side = trade.phones[0]
    person = db.session.get(Account, side.account_id)
    assert side.number_hash == keyring.mac_hex("phone", Person(person.id).phone)
    assert side.number_masked == phone.masked(Person(person.id).phone)
    room = trades.load_room(trade.poster_id, trade.id)
    assert contacts.partner_contact(room, room.poster, now=AT).address

    public = blacklist.public_page(size=100)
    bodies = dict(db.session.execute(select(Change.entry_id, Change.body)).all())
    assert len(public) == 8
    for entry in public:
        assert bodies[entry.id] == blacklist.entry_as_json(entry)
        own = select(Device.code).where(Device.id == entry.account_id)
        code = db.session.scalar(own)
        answer = blacklist.answer_for(device=code, now=AT)
        assert answer.status == "listed"
    assert blacklist.last_seq() == len(db.session.scalars(select(Change.seq)).all())
    assert len(listings.board_page(Filters()).rows) == 24

    assert sweep_overdue_trades(world.before_any_is_due()).done == 0
    for turn in range(2):
        swept = sweep_overdue_trades(world.slot_at(turn))
        assert (swept.done, swept.failed) == (world.slot, 0)


def send(app, ask):
    """Send a request of the load to the application itself."""
    head, _, body = ask.raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    verb, path, _ = first.split()
    headers = dict(line.split(": ", 1) for line in lines)
    client = app.test_client(use_cookies=False)
    return client.open(path, method=verb, data=body, headers=headers)


def setting_of(app, world, **options):
    """Return what the cases stand on."""
    members = cast.join(app, world, 4)
    rooms = cast.trade(app, world, members, 2, trading.ONE_SENT)
    people = Cast(world, members, rooms, cast.add_key(app))
    url = app.config["SQLALCHEMY_DATABASE_URI"]
    kind = SimpleNamespace(kind=db.engine.dialect.name)
    return Setting(app, kind, world, url, Options(**options), people)


def every_case_is_answered_and_what_is_written_stays(app, setting):
    """Ask once for each case, and send each form."""
    for name, case in READING.items():
        asks = case(setting.people)
        answer = send(app, next(asks))
        assert answer.status_code == 200, (name, answer.text)
    for name, case in writing.WRITING.items():
        work = case(setting, cast.join(app, setting.world, 2), 2)
        assert not {ask.tag for ask in work.asks} & work.done()
        for ask in work.asks:
            assert send(app, ask).status_code == 303, name
        assert {ask.tag for ask in work.asks} <= work.done()


def a_case_is_measured_beside_the_limit(setting):
    """Serve both, and make a line of what they answered."""
    asks = READING["look_up"](setting.people)
    least = limit_of("look_up", 300, setting.world)
    with measure.both(setting, workers=1) as (board, limit):
        line = measure.compare(
            setting, "look_up", (board, asks), (limit, least), {"look_up": 1}
        ).line()
    assert set(line) >= KEYS
    assert line["rps"] > 0
    assert line["ratio"] > 0
    [row] = report.every({("look_up", "sqlite", 400): line}).splitlines()[2:]
    assert row.startswith("| look_up | sqlite | 400 |")
    document = "a\n<!-- bars -->\nold\n<!-- end of bars -->\nb"
    kept = {("look_up", "postgresql", 1_000_000): {**line, "at": "2026-06-01T12"}}
    assert "| look-up: of the limit's rate |" in report.fill(document, kept)
