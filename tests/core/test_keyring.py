import json
import logging
import os
import threading
from datetime import UTC, datetime, timedelta

import pytest

from tradeboard.core import keyfile, keyring, paging, sealed
from tradeboard.core.keyring import KeyMissing, Keyring

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=30)
CURSOR = paging.Cursor(NOW, 7)


@pytest.fixture
def path(tmp_path):
    """Return a file of keys that this process reads; afterwards all is as before."""
    before = keyring._Holder.ring, keyring._Holder.path, keyring._Holder.mark
    path = tmp_path / "keyring.json"
    keyfile.write_if_missing(path, now=NOW)
    keyring.use_file(path)
    yield path
    keyring._Holder.ring, keyring._Holder.path, keyring._Holder.mark = before


@pytest.fixture
def a_second_later(monkeypatch):
    """Return how to let time pass for a running process."""

    def pass_by():
        keyring._Holder.looked_at -= keyring.LOOK_EVERY

    return pass_by


def test_a_new_key_is_the_one_in_use_and_the_old_one_stays(path):
    old = keyring.ring().key("email")

    kid = keyfile.add(path, "email", now=LATER)

    ring = keyring.read(path)
    assert (kid, ring.kids("email")) == ("k2", ["k2", "k1"])
    assert ring.key("email", "k1") == old != ring.key("email")
    assert ring.since["email"] == {"k1": NOW, "k2": LATER}


def test_the_other_purposes_keep_theirs(path):
    before = json.loads(path.read_text())

    keyfile.add(path, "email", now=LATER)

    after = json.loads(path.read_text())
    assert {p: r for p, r in after.items() if p != "email"} == {
        p: r for p, r in before.items() if p != "email"
    }


def test_an_old_file_knows_no_instants(path):
    content = json.loads(path.read_text())
    for ring in content.values():
        del ring["since"]
    path.write_text(json.dumps(content))

    keyfile.add(path, "email", now=LATER)

    ring = keyring.read(path)
    assert ring.since["email"] == {"k2": LATER}
    assert ring.replaced_at("email", "k1") == LATER
    assert ring.replaced_at("email", "k2") is None


def test_a_dropped_key_is_gone_and_its_number_is_not_given_again(path):
    keyfile.add(path, "phone", now=LATER)
    keyfile.drop(path, "phone", "k1")

    assert keyring.read(path).kids("phone") == ["k2"]
    assert keyfile.add(path, "phone", now=LATER) == "k3"


def test_the_key_in_use_cannot_go(path):
    before = path.read_bytes()

    with pytest.raises(keyfile.KeyInUse, match="k1 for phone"):
        keyfile.drop(path, "phone", "k1")

    assert path.read_bytes() == before


def test_the_file_stays_its_owners_alone_and_nothing_lies_about(path):
    path.chmod(0o640)

    keyfile.add(path, "email", now=LATER)

    assert path.stat().st_mode & 0o777 == 0o600
    assert not list(path.parent.glob("*.new"))


def test_a_failure_while_writing_leaves_the_file_as_it_was(path, monkeypatch):
    before = path.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        keyfile.add(path, "email", now=LATER)

    assert path.read_bytes() == before
    assert not list(path.parent.glob("*.new"))


def test_a_link_to_the_file_stays_a_link(path, tmp_path):
    link = tmp_path / "elsewhere" / "keys"
    link.parent.mkdir()
    link.symlink_to(path)

    keyfile.add(link, "email", now=LATER)

    assert link.is_symlink()
    assert keyring.read(path).kid("email") == "k2"


def test_of_many_commands_at_once_none_overwrites_another(path):
    barrier = threading.Barrier(8)

    def add(purpose):
        barrier.wait()
        keyfile.add(path, purpose, now=LATER)

    purposes = ("email", "phone", "words", "totp") * 2
    threads = [threading.Thread(target=add, args=(one,)) for one in purposes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    ring = keyring.read(path)
    assert {ring.kid(purpose) for purpose in purposes} == {"k3"}


def test_only_one_rotation_runs(path):
    with keyfile.one_rotation(path):
        with pytest.raises(keyfile.Busy), keyfile.one_rotation(path):
            pass
        assert keyfile.add(path, "email", now=LATER) == "k2"

    with keyfile.one_rotation(path):
        pass


def test_a_running_process_notices_within_a_second(path, a_second_later):
    assert keyring.ring().kid("email") == "k1"
    keyfile.add(path, "email", now=LATER)

    assert keyring.ring().kid("email") == "k1"
    a_second_later()

    assert keyring.ring().kid("email") == "k2"


def test_a_key_that_a_value_names_is_looked_for_at_once(path):
    before = keyring.ring()
    keyfile.add(path, "personal-data", now=LATER)
    keyring.use_file(path)
    value = sealed.seal("090", cell="a:b:1")
    keyring._Holder.ring = before
    keyring._Holder.mark = ()

    assert value.startswith(sealed.prefix("k2"))
    assert sealed.unseal(value, cell="a:b:1") == "090"


def test_an_unknown_key_is_named_in_words(path):
    with pytest.raises(KeyMissing, match="no key k7 for personal-data"):
        sealed.unseal("v1:k7:AAAA:AAAA", cell="a:b:1")
    with pytest.raises(KeyMissing, match="no key k7 for email"):
        keyring.mac("email", "x", "k7")


@pytest.mark.parametrize("content", ["", "[]", "{", '{"email": {}}'])
def test_a_file_that_breaks_does_not_stop_who_runs(
    path, a_second_later, caplog, content
):
    kept = keyring.ring()
    path.write_text(content)
    a_second_later()

    with caplog.at_level(logging.ERROR):
        assert keyring.ring() is kept
        a_second_later()
        assert keyring.ring() is kept

    assert len(caplog.records) == 1
    with pytest.raises(KeyMissing):
        keyring.read(path)


def test_a_file_that_is_gone_for_a_while_is_read_again(path, a_second_later):
    kept, content = keyring.ring(), path.read_bytes()
    path.unlink()
    a_second_later()
    assert keyring.ring() is kept
    path.write_bytes(content)
    keyfile.add(path, "email", now=LATER)
    a_second_later()

    assert keyring.ring().kid("email") == "k2"


def test_a_purpose_without_a_key_stops_the_start(path):
    content = json.loads(path.read_text())
    del content["totp"]
    path.write_text(json.dumps(content))

    with pytest.raises(KeyMissing, match="for totp"):
        keyring.read(path)


def test_a_missing_current_key_stops_the_start_with_its_id(path):
    content = json.loads(path.read_text())
    content["totp"]["current"] = "k4"
    path.write_text(json.dumps(content))

    with pytest.raises(KeyMissing, match="no key k4 for totp"):
        keyring.read(path)


def test_a_short_key_stops_the_start_with_its_id(path):
    keyfile.add(path, "totp", now=LATER)
    content = json.loads(path.read_text())
    content["totp"]["keys"]["k1"] = "c2hvcnQ="
    path.write_text(json.dumps(content))

    with pytest.raises(KeyMissing, match="k1 for totp is shorter than 32 bytes"):
        keyring.read(path)


def test_a_ring_shows_no_key(path):
    ring = keyring.ring()

    assert "b'" not in repr(ring)
    assert isinstance(ring, Keyring)


def test_a_cursor_outlives_the_key_that_signed_it(path, a_second_later):
    old = paging.encode(CURSOR)
    keyfile.add(path, "paging", now=LATER)
    a_second_later()

    assert paging.encode(CURSOR) != old
    assert paging.decode(old) == paging.decode(paging.encode(CURSOR)) == CURSOR

    keyfile.drop(path, "paging", "k1")
    assert paging.decode(old) is None
