import base64
import functools
import json
import logging
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text, update

from tests.factories import MONDAY, count, make_account
from tests.races import race
from tests.trades.stages import ADDRESS, AGREED_AT, CALLED_AT, HOUR, NUMBERS, Stage
from tests.worlds import make_trade
from tradeboard.accounts import queries as accounts
from tradeboard.accounts import totp
from tradeboard.accounts.models import Account, Device, Totp, Watch
from tradeboard.accounts.rules.holds import Signal
from tradeboard.accounts.services import devices
from tradeboard.audit.models import AuditRow
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules.entries import EntryState
from tradeboard.cli import rotating
from tradeboard.core import clock, keyfile, keyring, paging, sealed
from tradeboard.core.db import changed, db
from tradeboard.core.errors import RuleBroken
from tradeboard.core.transaction import transaction
from tradeboard.trades import queries
from tradeboard.trades.models import PhoneSide, Trade
from tradeboard.trades.rules.findings import Finding
from tradeboard.trades.services import contacts, phone, rekeying

ROOT = Path(__file__).parents[1]
A_DAY = timedelta(days=1)
EMPTY = {"kid": "k2", "was": "k1", "moved": 0, "left": 0, "dropped": ["k1"]}
KEPT = EMPTY | {"dropped": []}
MAILBOX = "alice@example.com"


@pytest.fixture
def run(app, own_keys, monkeypatch):
    """Return how to run a command, with keys that only this test changes."""
    monkeypatch.setattr(rotating, "WAIT_S", 0)
    runner = app.test_cli_runner()

    def run(*arguments):
        db.session.rollback()
        return runner.invoke(args=["keys", *arguments])

    return run


@pytest.fixture
def at(monkeypatch):
    """Return how to pretend that it is another time."""

    def at(moment):
        monkeypatch.setattr(clock, "now", lambda: moment)

    return at


@pytest.fixture
def in_small_steps(monkeypatch):
    """Let numbers and addresses move in transactions of one row each."""
    step = functools.partial(rekeying.reseal, limit=1)
    plan = rotating.Plan(move=rotating._in_batches(step))
    monkeypatch.setitem(rotating.PLANS, "personal-data", plan)


def list_alice(account):
    """Put a person on the list, with the mailbox and a number as they are kept now."""
    number = {
        "hash": keyring.mac_hex("phone", "+819031234567"),
        "kid": keyring.ring().kid("phone"),
    }
    with transaction():
        entry = Entry(
            account_id=account.id,
            handle=account.handle,
            finding=Finding.NEVER_DISPATCHED,
            state=EntryState.LISTED,
            entered_at=MONDAY,
            listed_at=MONDAY,
            email_hash=account.email_key,
            email_kid=account.email_kid,
            phone_hashes=[number],
        )
        db.session.add(entry)
    return entry


def set_all(statement):
    """Change many rows at once."""
    with transaction():
        changed(statement)


# The command.


def test_every_purpose_but_audit_gets_a_new_key(rotate):
    assert rotate() == {
        "email": EMPTY,
        "phone": EMPTY,
        "words": EMPTY,
        "device": EMPTY,
        "device-public": EMPTY,
        "device-cookie": KEPT,
        "personal-data": EMPTY,
        "totp": EMPTY,
        "paging": KEPT,
        "unsubscribe": KEPT,
    }
    assert keyring.ring().kids("audit") == ["k1"]


def test_only_the_named_purposes_rotate(rotate):
    assert set(rotate("totp", "email", "totp")) == {"totp", "email"}
    assert keyring.ring().kid("phone") == "k1"


def test_twice_does_nothing_more(rotate, own_keys):
    rotate()
    before = own_keys.read_bytes()

    again = rotate()

    assert own_keys.read_bytes() == before
    assert {one["kid"] for one in again.values()} == {"k2"}
    assert all(not one["moved"] and not one["dropped"] for one in again.values())


def test_another_key_can_be_made_at_once(rotate):
    rotate("email")

    assert rotate("email", "--again")["email"] == {
        "kid": "k3",
        "was": "k2",
        "moved": 0,
        "left": 0,
        "dropped": ["k2"],
    }


def test_a_day_later_the_next_rotation_makes_a_key(rotate, at):
    rotate("totp")
    at(clock.now() + A_DAY)

    assert rotate("totp")["totp"]["kid"] == "k3"


def test_the_first_key_rotates_however_young_it_is(rotate, own_keys):
    own_keys.unlink()
    keyfile.write_if_missing(own_keys, now=clock.now())

    assert rotate("totp")["totp"] == EMPTY


def test_the_key_of_the_audit_log_stays(run, own_keys):
    before = own_keys.read_bytes()

    result = run("rotate", "email", "audit")

    assert (result.exit_code, own_keys.read_bytes()) == (1, before)
    assert "for ever" in result.stderr


def test_an_unknown_purpose_is_wrong_usage(run):
    result = run("rotate", "emial")

    assert result.exit_code == 2
    assert "There are: email, phone" in result.stderr


def test_two_rotations_at_once_are_one(run, own_keys):
    before = own_keys.read_bytes()

    with keyfile.one_rotation(own_keys):
        result = run("rotate")

    assert (result.exit_code, own_keys.read_bytes()) == (1, before)
    assert len(result.stderr.splitlines()) == 1


def test_without_a_keyring_it_says_what_to_do(run):
    keyring.use(None)

    for command in ("list", "rotate"):
        result = run(command)
        assert result.exit_code == 1
        assert "keys init" in result.stderr


@pytest.mark.parametrize(
    ("lost", "says"), [("keyring", "no keyring at"), ("totp", "no key k1 for totp")]
)
def test_a_server_does_not_start_without_its_keys(tmp_path, lost, says):
    path = tmp_path / "keyring.json"
    keyfile.write_if_missing(path)
    content = json.loads(path.read_text())
    if lost == "keyring":
        path.unlink()
    else:
        del content[lost]["keys"]["k1"]
        path.write_text(json.dumps(content))
    settings = {
        "TRADEBOARD_KEYRING": str(path),
        "TRADEBOARD_SECRET_KEY": "a secret of the tests that is long enough",
        "TRADEBOARD_DATABASE_URL": f"sqlite:///{tmp_path / 'board.sqlite3'}",
    }

    started = subprocess.run(
        [sys.executable, "-c", "import wsgi"],
        env=os.environ | settings,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert started.returncode == 1
    assert says in started.stderr.splitlines()[-1]


def test_keys_are_listed_with_the_rows_that_name_them(run, alice, rotate):
    list_alice(alice)
    rotate("email", "totp")

    result = run("list", "--json")

    found = [json.loads(line) for line in result.stdout.splitlines()]
    rows = {(one["purpose"], one["kid"]): one["rows"] for one in found}
    assert result.exit_code == 0
    assert rows[("email", "k2")] == rows[("email", "k1")] == 1
    assert rows[("phone", "k1")] == 1
    assert rows[("totp", "k2")] == 0
    assert rows[("audit", "k1")] is rows[("device-public", "k1")] is None
    assert [one["kid"] for one in found if one["current"]].count("k2") == 2
    assert not any(one["missing"] for one in found)


def test_a_key_that_rows_name_and_the_ring_has_not_is_listed(run, alice):
    set_all(update(Account).values(email_kid="k9"))

    lines = run("list").stdout.splitlines()

    [line] = [line for line in lines if "missing" in line]
    assert line.split()[:3] == ["email", "k9", "missing"]


def test_rotations_are_in_the_audit_log(rotate):
    rotate("totp")

    rows = db.session.scalars(select(AuditRow).order_by(AuditRow.seq))
    assert [(row.action, row.object, row.body) for row in rows] == [
        ("make key", "key:totp", {"kid": "k2"}),
        ("drop key", "key:totp", {"kid": "k1"}),
    ]


def test_no_key_is_ever_shown(run, alice, bob, own_keys, caplog):
    make_trade(alice, bob)
    list_alice(alice)
    before = json.loads(own_keys.read_text())

    with caplog.at_level(logging.DEBUG):
        results = [
            run(*words, *style)
            for words in (("list",), ("rotate",), ("list",), ("init",))
            for style in ((), ("--json",))
            if (words, style) != (("init",), ("--json",))
        ]
        own_keys.write_text("{")
        results.append(run("rotate", "--again"))

    assert [result.exit_code for result in results] == [0] * 7 + [1]
    own_keys.write_text(json.dumps(before))
    said = " ".join(result.output + result.stderr for result in results) + caplog.text
    stored = [
        key
        for content in (before, json.loads(own_keys.read_text()))
        for ring in content.values()
        for key in ring["keys"].values()
    ]
    assert len(stored) >= 2 * len(keyring.PURPOSES)
    for key in stored:
        raw = base64.b64decode(key)
        for shown in (key, raw.hex(), base64.urlsafe_b64encode(raw).decode()):
            assert shown[:16] not in said


def test_what_others_began_before_is_waited_for(apps, monkeypatch):
    app = apps("postgresql")
    monkeypatch.setattr(rotating, "LOOKS", 2)
    monkeypatch.setattr(rotating, "BETWEEN_LOOKS_S", 0)
    with app.app_context():
        with db.engine.connect() as other:
            other.execute(text("SELECT 1"))
            assert not rotating._are_past()
        assert rotating._are_past()
        db.session.rollback()


def test_nothing_is_dropped_while_others_may_still_use_it(rotate, monkeypatch):
    monkeypatch.setattr(rotating, "_wait_for_others", lambda *_: False)
    assert rotate("totp")["totp"] == KEPT
    monkeypatch.undo()
    monkeypatch.setattr(rotating, "WAIT_S", 0)


# Mailboxes.


def test_mailboxes_move_and_what_is_listed_keeps_its_key(rotate, alice, bob):
    old = list_alice(alice).email_hash

    found = rotate("email")["email"]

    assert found == {"kid": "k2", "was": "k1", "moved": 2, "left": 1, "dropped": []}
    assert set(db.session.scalars(select(Account.email_kid))) == {"k2"}
    assert set(db.session.scalars(select(Entry.email_kid))) == {"k1"}
    assert accounts.find_by_mailbox(MAILBOX).id == alice.id
    assert old in accounts.email_keys(MAILBOX)


def test_a_key_goes_with_the_last_row_that_names_it(rotate, alice):
    entry = list_alice(alice)
    rotate("email", "phone")

    set_all(
        update(Entry)
        .where(Entry.id == entry.id)
        .values(email_hash=None, email_kid=None, phone_hashes=[])
    )

    found = rotate("email", "phone")
    assert found["email"]["dropped"] == found["phone"]["dropped"] == ["k1"]
    assert keyring.ring().kids("email") == ["k2"]


def test_what_is_watched_for_keeps_its_key(rotate, alice):
    with transaction():
        for signal in (Signal.MAILBOX, Signal.PHONE):
            db.session.add(
                Watch(
                    account_id=alice.id,
                    cause="entry:1",
                    signal=signal,
                    hash="0a",
                    kid="k1",
                    since=MONDAY,
                )
            )

    found = rotate("email", "phone")

    assert found["email"] == KEPT | {"moved": 1, "left": 1}
    assert found["phone"] == KEPT | {"left": 1}


def test_an_interrupted_move_of_mailboxes_goes_on(rotate, alice, monkeypatch):
    def fail(**_):
        raise RuntimeError("power cut")

    with monkeypatch.context() as patched:
        patched.setattr(rotating.mailboxes, "rekey_all", fail)
        with pytest.raises(RuntimeError):
            rotate("email")
    assert keyring.ring().kid("email") == "k2"
    assert accounts.find_by_mailbox(MAILBOX).id == alice.id

    assert rotate("email")["email"] == EMPTY | {"moved": 1}


# Numbers and addresses.


def test_partners_read_what_is_sealed_anew(rotate, alice, bob):
    trade_id = make_trade(alice, bob).id

    found = rotate("personal-data")["personal-data"]

    assert found == EMPTY | {"moved": 4}
    trade = queries.get_trade(trade_id)
    viewer = db.session.get(Account, bob.id)
    contact = contacts.partner_contact(trade, viewer, now=MONDAY)
    assert contact.address == "東京都千代田区一丁目一番"
    assert keyring.ring().kids("personal-data") == ["k2"]


def test_an_interrupted_move_goes_on_with_the_same_key(
    rotate, alice, bob, monkeypatch, in_small_steps
):
    make_trade(alice, bob)
    made = sealed.reseal
    calls = []

    def fail_at_third(value, **cell):
        calls.append(value)
        if len(calls) == 3:
            raise RuntimeError("power cut")
        return made(value, **cell)

    with monkeypatch.context() as patched:
        patched.setattr(sealed, "reseal", fail_at_third)
        with pytest.raises(RuntimeError):
            rotate("personal-data", "totp")
    assert rotating.rows_by_key("personal-data") == {"k1": 2, "k2": 2}
    assert keyring.ring().kids("totp") == ["k2", "k1"]

    found = rotate("personal-data", "totp")

    assert found == {"personal-data": EMPTY | {"moved": 2}, "totp": EMPTY}
    side = db.session.scalars(select(PhoneSide).order_by(PhoneSide.id)).first()
    cell = f"{queries.phone_cell(side)}.number"
    assert sealed.unseal(side.number, cell=cell) == "+819012340000"


def test_what_changes_meanwhile_is_not_lost(rotate, alice, bob, monkeypatch):
    make_trade(alice, bob)
    made = sealed.reseal

    def overtake(value, *, cell, **purpose):
        if cell.endswith("number"):
            newer = sealed.seal("+819099999999", cell=cell)
            changed(
                update(PhoneSide).where(PhoneSide.number == value).values(number=newer)
            )
        return made(value, cell=cell, **purpose)

    monkeypatch.setattr(sealed, "reseal", overtake)

    assert rotate("personal-data")["personal-data"] == EMPTY | {"moved": 2}
    for side in db.session.scalars(select(PhoneSide)):
        cell = f"{queries.phone_cell(side)}.number"
        assert sealed.unseal(side.number, cell=cell) == "+819099999999"


def test_a_value_that_does_not_open_is_left_and_named(rotate, alice, bob, caplog):
    make_trade(alice, bob)
    first = db.session.scalars(select(PhoneSide.id).order_by(PhoneSide.id)).first()
    value = sealed.seal("moved here", cell="elsewhere")
    set_all(update(PhoneSide).where(PhoneSide.id == first).values(number=value))

    found = rotate("personal-data")["personal-data"]

    assert found == KEPT | {"moved": 3, "left": 1}
    assert f"the number of phone side {first} does not open" in caplog.text


def test_an_erased_number_names_no_key(rotate, alice, bob):
    make_trade(alice, bob)
    set_all(
        update(PhoneSide).values(
            number=None, address=None, number_hash=None, number_kid=None
        )
    )

    assert rotate("phone", "personal-data") == {
        "phone": EMPTY,
        "personal-data": EMPTY,
    }


def test_new_numbers_use_the_new_key_and_old_ones_keep_theirs(rotate, alice, bob):
    with transaction():
        stage = Stage(alice, bob).one_sealed()

    assert rotate("phone")["phone"] == KEPT | {"left": 1}
    with transaction():
        stage.seal(db.session.get(Account, bob.id))

    kids = {side.account_id: side.number_kid for side in stage.trade.phones}
    assert kids == {alice.id: "k1", bob.id: "k2"}


def test_the_partners_number_is_refused_across_keys(rotate, alice, bob):
    with transaction():
        stage = Stage(alice, bob).one_sealed()
    rotate("phone")

    with pytest.raises(RuleBroken), transaction():
        phone.seal(
            stage.id,
            NUMBERS["alice"],
            "JP",
            ADDRESS,
            by=db.session.get(Account, bob.id),
            now=AGREED_AT + HOUR,
        )


def test_two_accounts_with_one_number_are_known_across_keys(rotate, alice, bob):
    dora, emil = make_account("dora"), make_account("emil")
    with transaction():
        Stage(alice, bob).phone_confirmed()
        seen = devices.recognise(None, now=MONDAY)
        for person in (alice, dora):
            devices.record_use(seen, person, now=MONDAY)
    rotate("phone")

    with transaction():
        other = Stage(dora, emil).agreed()
        for person, number in ((dora, NUMBERS["alice"]), (emil, "070-3123-9999")):
            phone.seal(other.id, number, "JP", ADDRESS, by=person, now=AGREED_AT)
        other.type_words(dora)
        other.type_words(emil)

    assert queries.are_one_person(alice.id, dora.id)
    assert not queries.are_one_person(alice.id, emil.id)
    sides = db.session.scalars(select(PhoneSide))
    assert {side.account_id: side.number_kid for side in sides} == {
        alice.id: "k2",
        bob.id: "k1",
        dora.id: "k2",
        emil.id: "k2",
    }


# Words.


@pytest.mark.parametrize("named", [True, False])
def test_words_of_a_running_round_stay_good(rotate, alice, bob, named):
    with transaction():
        stage = Stage(alice, bob).revealed()
        heard = stage.words_for(alice)
        if not named:  # as it was before rounds named their key
            changed(update(Trade).values(words_kid=None))

    assert rotate("words")["words"] == KEPT | {"left": 1}

    assert stage.words_for(alice) == heard
    with transaction():
        stage.type_words(alice, heard)
        stage.type_words(bob)
    assert stage.trade.phone_confirmed_at == CALLED_AT
    assert rotate("words")["words"] == KEPT | {"was": "k1", "dropped": ["k1"]}


def test_a_new_round_uses_the_new_key(rotate, alice, bob):
    with transaction():
        stage = Stage(alice, bob).revealed()
    rotate("words")

    with transaction():
        for _ in range(5):
            stage.type_words(bob, "ちがう ことば")

    assert stage.trade.words_kid == "k2"
    with transaction():
        stage.type_words(alice)
        stage.type_words(bob)


# Browsers.


def test_a_browser_is_known_again_and_moves_when_it_writes(rotate, alice):
    first = devices.recognise(None, now=MONDAY)
    with transaction():
        code = devices.record_use(first, alice, now=MONDAY).code

    assert rotate("device")["device"] == KEPT | {"left": 1}

    seen = devices.recognise(first.cookie, now=MONDAY)
    assert (seen.cookie, seen.is_new, seen.key != first.key) == (None, False, True)
    assert accounts.has_used(alice.id, seen.keys)
    with transaction():
        assert devices.record_use(seen, alice, now=MONDAY).code == code
    device = db.session.scalars(select(Device)).one()
    assert (device.kid, device.key) == ("k2", seen.key)
    assert rotate("device")["device"]["dropped"] == ["k1"]


def test_a_browser_that_writes_twice_at_once_moves_once(app, rotate, alice, bob):
    first = devices.recognise(None, now=MONDAY)
    with transaction():
        devices.record_use(first, alice, now=MONDAY)
    rotate("device")
    seen = devices.recognise(first.cookie, now=MONDAY)

    def write(account_id):
        account = db.session.get(Account, account_id)
        devices.record_use(seen, account, now=MONDAY)

    ids = [person.id for person in (alice, bob)]
    outcomes = race(app, *(functools.partial(write, one) for one in ids))

    assert outcomes == ["done", "done"]
    assert db.session.scalars(select(Device.kid)).all() == ["k2"]


def test_only_the_current_row_is_written_if_a_browser_has_two(rotate, alice):
    first = devices.recognise(None, now=MONDAY)
    with transaction():
        devices.record_use(first, alice, now=MONDAY)
    rotate("device")
    seen = devices.recognise(first.cookie, now=MONDAY)
    with transaction():
        db.session.add(
            Device(
                key=seen.key,
                kid="k2",
                code="D-0000-0000",
                first_seen=MONDAY,
                last_seen=MONDAY,
            )
        )

    with transaction():
        assert devices.record_use(seen, alice, now=MONDAY).code == "D-0000-0000"
    assert count(Device) == 2


def test_codes_stay_when_their_key_goes(rotate, alice):
    with transaction():
        seen = devices.recognise(None, now=MONDAY)
        code = devices.record_use(seen, alice, now=MONDAY).code

    assert rotate("device-public")["device-public"] == EMPTY

    with transaction():
        assert devices.record_use(seen, alice, now=MONDAY).code == code


def test_a_cookie_is_signed_anew_and_its_old_key_goes_after_400_days(rotate, at):
    begun = clock.now()
    first = devices.recognise(None, now=begun)
    rotate("device-cookie")

    seen = devices.recognise(first.cookie, now=begun)
    assert (seen.key, seen.is_new) == (first.key, False)
    assert seen.cookie.startswith("v1.k2.")

    at(begun + 400 * A_DAY - HOUR)
    assert rotate("device-cookie")["device-cookie"]["dropped"] == []
    at(begun + 400 * A_DAY + HOUR)
    assert rotate("device-cookie")["device-cookie"]["dropped"] == ["k1"]

    assert devices.recognise(first.cookie, now=begun).is_new
    assert not devices.recognise(seen.cookie, now=begun).is_new


# The rest.


def test_the_second_factor_works_afterwards(rotate, moderator):
    secret = totp.new_secret()
    with transaction():
        row = Totp(account_id=moderator.id, secret=totp.seal(secret, moderator.id))
        db.session.add(row)

    assert rotate("totp")["totp"] == EMPTY | {"moved": 1}

    stored = db.session.scalars(select(Totp.secret)).one()
    assert totp.unseal(stored, moderator.id) == secret


def test_links_to_the_next_page_work_for_a_day(rotate, at):
    begun = clock.now()
    cursor = paging.Cursor(MONDAY, 7)
    link = paging.encode(cursor)
    rotate("paging")

    at(begun + A_DAY - HOUR)
    assert rotate("paging")["paging"]["dropped"] == []
    assert paging.decode(link) == cursor

    at(begun + A_DAY + HOUR)
    assert rotate("paging")["paging"] == EMPTY
    assert paging.decode(link) is None
