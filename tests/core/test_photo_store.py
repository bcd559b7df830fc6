"""One body of tests for both places that photos lie in: a folder, and a real bucket."""

import socket
from datetime import UTC, datetime, timedelta

import pytest

from tradeboard.core import photo_bucket, photo_store
from tradeboard.core.errors import NoRoom, NotStored, Unknown

NAME, OTHER = "0a" * 16, "1b" * 16
SOON = datetime.now(UTC) + timedelta(days=1)
LONG_AGO = SOON - timedelta(days=3)


@pytest.fixture(params=["folder", "bucket"])
def store(request, tmp_path):
    """Return an empty store of each sort."""
    if request.param == "folder":
        return photo_store.of({"PHOTO_STORE": "", "UPLOADS": tmp_path / "up"})
    return photo_store.of(request.getfixturevalue("bucket"))


def test_what_is_put_is_read_listed_and_removed(store):
    mine, others = store.within("proofs"), store.within("evidence")
    for one in (mine, others):
        assert list(one.files()) == []
        one.make_room()
    for width in (2048, 480):
        mine.put(NAME, width, bytes(width))
    others.put(OTHER, 480, b"x")

    opened = mine.open(NAME, 2048)
    with opened.stream as stream:
        assert (stream.read(), opened.length) == (bytes(2048), 2048)
    assert (mine.length(NAME, 480), mine.length(OTHER, 480)) == (480, None)
    assert mine.open(OTHER, 2048) is None
    found = {(file.name, file.width, file.length) for file in mine.files()}
    assert found == {(NAME, 2048, 2048), (NAME, 480, 480)}
    assert all(LONG_AGO < file.at < SOON for file in mine.files())

    mine.remove(NAME)
    mine.remove(NAME)
    assert list(mine.files()) == []
    assert [file.name for file in others.files()] == [OTHER]


def test_only_our_own_names_become_files(store):
    for name in ("../x", "a/b", "", "A" * 20, "a" * 65):
        with pytest.raises(ValueError, match="name"):
            store.open(name, 480)
    with pytest.raises(ValueError, match="name"):
        store.put(NAME, 100, b"")


def test_what_no_row_names_goes_a_bounded_number_at_a_time(store, monkeypatch):
    monkeypatch.setattr(photo_store, "ASKED_AT_ONCE", 2)
    mine = store.within("proofs")
    mine.make_room()
    names = [f"{n:032x}" for n in range(5)]
    for name in names:
        mine.put(name, 480, b"x")
    asked = []

    def named(some):
        asked.append(len(some))
        return {names[3]} & set(some)

    assert photo_store.remove_unnamed(mine, named, before=LONG_AGO) == 0
    assert photo_store.remove_unnamed(mine, named, before=SOON) == 4
    assert [file.name for file in mine.files()] == [names[3]]
    assert asked == [2, 2, 1]


def test_long_lists_come_in_pages(bucket, monkeypatch):
    store = photo_store.of(bucket)
    for number in range(5):
        store.put(f"{number:032x}", 480, b"x")
    lists = store.client.list_objects_v2
    pages = []

    def by_two(**asked):
        pages.append(asked)
        return lists(MaxKeys=2, **asked)

    monkeypatch.setattr(store.client, "list_objects_v2", by_two)

    assert len(list(store.files())) == 5
    assert len(pages) == 3


def test_all_is_copied_once_and_nothing_changed(app, bucket, tmp_path, monkeypatch):
    monkeypatch.setitem(app.config, "S3_ENDPOINT_URL", bucket["S3_ENDPOINT_URL"])
    there = photo_store.of(bucket)
    here = photo_store.FolderStore(tmp_path)
    for kind in ("listings", "proofs"):
        here.within(kind).make_room()
        here.within(kind).put(NAME, 480, kind.encode())
    there.within("listings").put(NAME, 480, b"listings")

    def copy(*places):
        return app.test_cli_runner().invoke(args=["photos", "copy", *places])

    done = copy(str(tmp_path), bucket["PHOTO_STORE"])
    again = copy(str(tmp_path), bucket["PHOTO_STORE"])
    back = copy(bucket["PHOTO_STORE"], str(tmp_path / "new"))

    assert "listings: 0 files copied (0 bytes), 1 were there" in done.output
    assert "proofs: 1 files copied (6 bytes), 0 were there" in done.output
    assert "proofs: 0 files copied" in again.output
    assert "listings: 1 files copied" in back.output
    assert (tmp_path / "new/proofs" / f"{NAME}-480.jpg").read_bytes() == b"proofs"
    here.within("proofs").put(OTHER, 480, b"long")
    there.within("proofs").put(OTHER, 480, b"other")
    differs = copy(str(tmp_path), bucket["PHOTO_STORE"])
    assert differs.exit_code == 1
    assert "has 5 bytes there, 4 here" in differs.output
    assert copy(str(tmp_path / "none"), str(tmp_path)).exit_code == 2


def test_a_bucket_that_is_away_is_said_and_never_waited_for_long(monkeypatch, bucket):
    monkeypatch.setattr(photo_bucket, "READ_S", 0.2)
    monkeypatch.setattr(photo_bucket, "TRIES", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent_url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        for endpoint in (silent_url, "http://127.0.0.1:9"):
            store = photo_bucket.opened(bucket["PHOTO_STORE"], endpoint)
            with pytest.raises(NotStored) as refused:
                store.put(NAME, 480, b"x")
            assert refused.value.field == "photo"
            with pytest.raises(Unknown):
                store.open(NAME, 480)
            with pytest.raises(Unknown):
                list(store.files())
    with pytest.raises(Unknown):
        list(photo_bucket.opened("s3://no-such", bucket["S3_ENDPOINT_URL"]).files())


def test_a_full_or_broken_disk_takes_no_photo(tmp_path, monkeypatch):
    store = photo_store.FolderStore(tmp_path / "up")
    store.make_room()

    def fail(number):
        def sync(_):
            raise OSError(number, "as a disk says it")

        return sync

    for number, kind in ((28, NoRoom), (5, NotStored)):
        monkeypatch.setattr(photo_store.os, "fsync", fail(number))
        with pytest.raises(kind):
            store.put(NAME, 480, b"x")
    assert store.length(NAME, 480) is None
    monkeypatch.setattr(photo_store, "ROOM_TO_KEEP", 1 << 62)
    with pytest.raises(NoRoom):
        store.make_room()
