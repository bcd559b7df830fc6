import json
import socket
import stat

import pytest

from tests.audit import chains
from tests.audit.chains import record
from tests.factories import MONDAY
from tradeboard.audit import anchors
from tradeboard.audit.rules import Anchor


@pytest.fixture
def path(tmp_path):
    return tmp_path / "anchors.jsonl"


def an_anchor(seq):
    return Anchor(seq, "ab" * 32, MONDAY)


def test_anchors_are_lines_that_are_only_added(path):
    assert (anchors.last(path), list(anchors.read(path))) == (None, [])

    for seq in range(1, 40):
        anchors.append(path, an_anchor(seq))

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(anchors.read(path)) == [an_anchor(seq) for seq in range(1, 40)]
    assert anchors.last(path) == an_anchor(39)
    assert json.loads(path.read_text().splitlines()[0])["seq"] == 1


def test_half_a_line_spoils_no_other(path):
    anchors.append(path, an_anchor(1))
    with path.open("a") as file:
        file.write('{"seq": 2, "ha')

    assert anchors.last(path) == an_anchor(1)
    anchors.append(path, an_anchor(3))

    assert list(anchors.read(path)) == [an_anchor(1), None, an_anchor(3)]


def test_what_comes_in_while_reading_is_left_out(path):
    anchors.append(path, an_anchor(1))
    reading = anchors.read(path)
    anchors.append(path, an_anchor(2))

    assert list(reading) == [an_anchor(1)]


def test_syslog_gets_the_same_line(tmp_path, caplog):
    place = str(tmp_path / "log")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(place)
        anchors.tell_syslog(an_anchor(7), place)
        assert '"seq": 7' in log.recv(1024).decode()

    anchors.tell_syslog(an_anchor(8), str(tmp_path / "nobody"))
    assert "did not reach syslog" in caplog.text


@pytest.fixture
def verify(app):
    """Return how to run the command: its code and what it says."""
    runner = app.test_cli_runner()

    def verify(*arguments):
        result = runner.invoke(args=["audit", "verify", *arguments])
        return result.exit_code, result.stdout

    return verify


def test_the_command_says_how_far_the_log_is_whole(app, verify, path):
    record(*(f"entry:{number}" for number in range(12)))
    anchors.append(path, chains.anchor())

    code, said = verify("--anchors", str(path), "--json")
    facts = json.loads(said)
    assert (code, facts.pop("hash")) == (0, chains.anchor().hash)
    assert facts == {
        "ok": True,
        "bad_seq": None,
        "wrong": None,
        "seq": 12,
        "rows": 12,
        "unchained": 0,
        "anchors": 1,
        "unreadable": 0,
    }
    assert verify() == (0, "The log is whole until 12: 12 rows, 0 anchors.\n")

    chains.cut_tail_and_head()
    assert verify()[0] == 0
    anchors.append(app.config["AUDIT_ANCHORS"], anchors.last(path))
    said = "Row 11 is missing: the log is older than an anchor. Right until 10: 10 rows"
    assert verify() == (1, said + ".\n")

    code, said = verify("--anchors", str(path), "--json")
    facts = json.loads(said)
    assert (code, facts["ok"], facts["bad_seq"]) == (1, False, 11)
    assert verify("--anchors", str(path) + "x")[0] == 2
