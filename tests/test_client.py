"""The client of other boards and bots: a mirror that never says none too early."""

import io
import json
import subprocess
import sys
import urllib.error
from datetime import timedelta
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.api.cases import make_key
from tests.blacklist.cases import A_DAY, lift, listed, use_device
from tests.factories import DUE, MONDAY
from tests.soaks import mirror as soak
from tradeboard import client
from tradeboard.client import Mirror, SyncFailed
from tradeboard.core.db import db

BOARD = "https://board.example"
CODE = "D-7F3K-9QXM"
ROOT = Path(__file__).parents[1]


@pytest.fixture
def mirror(app, tmp_path):
    """Return a mirror of the application, which it asks without a network."""
    return Mirror(
        BOARD, make_key("feed"), tmp_path / "m.sqlite3", open=soak.open_in(app)
    )


def test_a_mirror_knows_who_is_listed_without_asking(
    app, mirror, alice, bob, moderator
):
    use_device(bob, CODE, MONDAY + A_DAY)
    assert mirror.status("bob") == "unknown"
    assert (mirror.sync(), mirror.status("bob")) == (0, "none")
    entry = listed(alice, bob)
    assert mirror.status("bob") == "none"

    assert mirror.sync() == 1

    for typed in ("bob", "ＢＯＢ", "b0b", "d7f3k9qxm"):
        assert mirror.status(typed) == "listed"
    assert mirror.status_of_device(CODE) == "listed"
    assert (mirror.status("alice"), mirror.status_of_device("x")) == ("none", "none")
    assert [shown["id"] for shown in mirror.entries()] == [entry.id]
    assert mirror.check("bob") == "listed"
    lift(entry, moderator, now=DUE + A_DAY)
    mirror.sync()
    assert (mirror.status("bob"), mirror.check("bob")) == ("none", "none")


def test_what_is_too_old_or_was_interrupted_is_unknown(app, tmp_path, alice, bob):
    now, broken = [1000.0], [False]

    def open(request, timeout):
        if broken[0]:
            raise OSError("the line is down")
        return soak.open_in(app)(request, timeout)

    path = tmp_path / "m.sqlite3"
    mirror = Mirror(
        BOARD,
        make_key("feed"),
        path,
        max_age=timedelta(minutes=5),
        open=open,
        clock=lambda: now[0],
    )
    listed(alice, bob)
    mirror.sync()
    assert (mirror.status("bob"), mirror.status("alice")) == ("listed", "none")

    broken[0] = True
    with pytest.raises(SyncFailed, match="the line is down"):
        mirror.sync()
    assert (mirror.status("bob"), mirror.status("alice")) == ("listed", "unknown")
    assert mirror.check("bob") == "unknown"
    broken[0] = False
    mirror.sync()
    now[0] += 300
    assert mirror.status("alice") == "none"
    now[0] += 1
    assert {mirror.status(name) for name in ("bob", "alice")} == {"unknown"}


def test_unchanged_pages_are_not_sent_again(app, tmp_path, alice, bob):
    seen = []

    def open(request, timeout):
        try:
            answer = soak.open_in(app)(request, timeout)
        except urllib.error.HTTPError as error:
            seen.append(error.code)
            raise
        seen.append(answer.status)
        return answer

    mirror = Mirror(BOARD, make_key("feed"), tmp_path / "m.sqlite3", open=open, page=1)
    listed(alice, bob)
    for _ in range(3):
        mirror.sync()

    assert seen == [200, 200, 304]
    assert mirror.status("bob") == "listed"


def test_a_board_with_another_history_is_read_anew(app, tmp_path, alice, bob, mirror):
    listed(alice, bob)
    mirror.sync()
    with mirror._database() as database:
        mirror._tell(database, seq="99", etag="")
        database.execute("UPDATE entry SET reads = 'somebody'")

    mirror.sync()

    assert (mirror.seq, mirror.status("bob")) == (1, "listed")


@pytest.mark.parametrize(
    ("body", "status", "reason", "wait"),
    [
        (b"[]", 200, "another shape", None),
        (b'{"changes":[{"seq":1}],"next":1,"more":false}', 200, "another shape", None),
        (b"<html>", 200, "Expecting value", None),
        (b"", 429, "HTTP 429", 17.0),
        (b"", 302, "HTTP 302", 17.0),
    ],
)
def test_what_a_board_should_not_answer_changes_nothing(
    tmp_path, body, status, reason, wait
):
    def open(request, timeout):
        headers = Message()
        headers["Retry-After"] = "17"
        answer = urllib.error.HTTPError(
            request.full_url, status, "", headers, io.BytesIO(body)
        )
        if status != 200:
            raise answer
        return answer

    mirror = Mirror(BOARD, "tb_", tmp_path / "m.sqlite3", open=open)
    with pytest.raises(SyncFailed, match=reason) as failed:
        mirror.sync()

    assert failed.value.retry_after == wait
    assert (mirror.seq, mirror.status("bob")) == (0, "unknown")


def test_the_copy_alone_folds_names_more_simply(app, tmp_path, alice, bob, monkeypatch):
    use_device(bob, CODE, MONDAY + A_DAY)
    listed(alice, bob)
    open, path, key = soak.open_in(app), tmp_path / "m.sqlite3", make_key("feed")
    Mirror(BOARD, key, path, open=open).sync()
    monkeypatch.setattr(client, "_server_rules", lambda: None)

    alone = Mirror(BOARD, key, path, open=open)

    for typed in ("Ｂｏｂ", " b-o_b ", "d-7f3k-9qxm"):
        assert alone.status(typed) == "listed"
    assert alone.status("b0b") == "none"


def test_the_client_needs_nothing_but_python(tmp_path):
    asked = (
        "import sys, tradeboard.client as c;"
        "assert c.reads_like('Ｂ0ｂ') == c.reads_like('bob');"
        "sys.exit(bool({'flask', 'sqlalchemy', 'werkzeug'} & set(sys.modules)))"
    )
    (tmp_path / "alone.py").write_bytes((ROOT / "tradeboard/client.py").read_bytes())
    alone = "import alone; assert alone._server_rules() is None; alone.reads_like('a')"

    for how, code, folder in (("-c", asked, ROOT), ("-Sc", alone, tmp_path)):
        subprocess.run([sys.executable, how, code], cwd=folder, check=True)


def test_a_mirror_equals_the_board_whatever_interrupts_it(app, tmp_path, capsys):
    changes = 150 if db.engine.dialect.name == "sqlite" else 40

    assert soak.run(app, tmp_path, changes=changes) == 0

    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (report["violations"], report["n"]) == (0, changes)
    # Of a few syncs now and then all go well.
    assert report["interrupted"] > 0 or changes < 100


def test_the_key_goes_to_no_other_board():
    handler = client._StayHere()

    assert handler.redirect_request() is None
    assert urlsplit(BOARD).scheme == "https"
