import json
from datetime import timedelta

import pytest

from tests.factories import DUE, MONDAY, PASSWORD, count
from tests.worlds import TRACKED, make_trade
from tradeboard.accounts import queries as accounts
from tradeboard.accounts.rules.standing import Role
from tradeboard.core import keyring
from tradeboard.core.db import db
from tradeboard.core.heartbeat import JobRun
from tradeboard.scheduler.timetable import JOBS

LONG_AGO = "2020-01-01T00:00:00+00:00"


@pytest.fixture
def run(app):
    """Return how to run a command: what it printed on each side, and its code."""
    runner = app.test_cli_runner()

    def run(*arguments, typed=None):
        db.session.rollback()
        return runner.invoke(args=[str(part) for part in arguments], input=typed)

    return run


@pytest.fixture
def lines(run):
    """Return how to read what a command says as JSON."""

    def lines(*arguments, typed=None):
        result = run(*arguments, "--json", typed=typed)
        assert result.exit_code == 0, result.output
        return [json.loads(line) for line in result.stdout.splitlines()]

    return lines


def test_the_timetable_is_listed(lines):
    found = lines("jobs", "list")

    assert [job["job"] for job in found] == list(JOBS)
    assert all(job["ok_at"] is None for job in found)


def test_a_job_run_now_is_seen_by_the_health_page(lines):
    [said] = lines("jobs", "run", "lapse-offers")

    assert said.keys() == {"job", "at", "done"}
    assert db.session.get(JobRun, "lapse-offers").ok_at is not None


def test_a_job_run_at_another_time_leaves_no_trace(lines):
    [said] = lines("jobs", "run", "lapse-offers", "--at", LONG_AGO)

    assert said == {"job": "lapse-offers", "at": LONG_AGO, "done": 0}
    assert count(JobRun) == 0


def test_every_zone_is_understood(lines):
    at = "2026-12-15T14:00:00+09:00"

    [said] = lines("jobs", "run", "lapse-offers", "--at", at)

    assert said["at"] == "2026-12-15T05:00:00+00:00"


def test_the_sweep_says_what_it_entered(alice, bob, lines):
    trade = make_trade(alice, bob, sent_by=[alice])

    early = DUE - timedelta(microseconds=1)
    [before] = lines("jobs", "run", "sweep-overdue", "--at", early.isoformat())
    [said] = lines("jobs", "run", "sweep-overdue", "--at", DUE.isoformat())
    [again] = lines("jobs", "run", "sweep-overdue", "--at", DUE.isoformat())

    assert before["entries"] == again["entries"] == []
    assert said["done"] == 1
    assert {entry["handle"]: entry["finding"] for entry in said["entries"]} == {
        "bob": "never_dispatched",
        "alice": "counterparty_in_default",
    }
    assert {entry["state"] for entry in said["entries"]} == {"listed", "held"}
    assert {entry["trade"] for entry in said["entries"]} == {trade.id}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["jobs", "run", "no-such-job"], "There is no job no-such-job"),
        (["jobs", "run", "remind", "--at", "2026-12-15"], "names no zone"),
        (["jobs", "run", "remind", "--at", "soon"], "is no instant"),
        (["blacklist", "check"], "either --handle or --device"),
        (["trades", "list", "--state", "lost"], "lost"),
        (["accounts", "create", "dora", "dora@example.com"], "password"),
    ],
)
def test_wrong_usage_ends_with_two(run, arguments, says):
    result = run(*arguments)

    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""


def test_a_trade_shows_no_number_and_no_address(alice, bob, lines):
    trade = make_trade(alice, bob, sent_by=[alice], tracking=TRACKED)

    [said] = lines("trades", "show", trade.id)

    assert said == {
        "id": trade.id,
        "state": "shipped",
        "first_dispatched_at": MONDAY.isoformat(),
        "due_at": DUE.isoformat(),
        "extended": False,
        "parties": [
            {"handle": "alice", "role": "poster"},
            {"handle": "bob", "role": "proposer"},
        ],
        "legs": [
            {
                "sender": "alice",
                "recipient": "bob",
                "state": "dispatched",
                "due_at": DUE.isoformat(),
                "tracking": said["legs"][0]["tracking"],
                "contested": False,
                "received_at": None,
            },
            {
                "sender": "bob",
                "recipient": "alice",
                "state": "not_sent",
                "due_at": DUE.isoformat(),
                "tracking": None,
                "contested": False,
                "received_at": None,
            },
        ],
    }
    assert said["legs"][0]["tracking"].replace("-", "") == TRACKED.replace("-", "")


def test_trades_are_listed_by_state(alice, bob, lines):
    make_trade(alice, bob)
    sent = make_trade(bob, alice, sent_by=[bob])

    assert len(lines("trades", "list")) == 2
    assert [t["id"] for t in lines("trades", "list", "--state", "shipped")] == [sent.id]
    assert lines("trades", "list", "--state", "lapsed") == []


def test_an_unknown_trade_is_one_line(run):
    result = run("trades", "show", 99)

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert len(result.stderr.splitlines()) == 1


def test_the_blacklist_answers_as_the_public_look_up(alice, bob, lines):
    [before] = lines("blacklist", "check", "--handle", "bob")
    make_trade(alice, bob, sent_by=[alice])
    lines("jobs", "run", "sweep-overdue", "--at", DUE.isoformat())
    [after] = lines("blacklist", "check", "--handle", "ＢＯＢ")

    assert (before["status"], before["entries"]) == ("none", [])
    assert after["status"] == "listed"
    assert [entry["handle"] for entry in after["entries"]] == ["bob"]


def test_an_account_is_made_and_promoted(lines):
    lines("accounts", "create", "dora", "dora@example.com", typed=PASSWORD + "\n")
    lines("accounts", "promote", "dora", "--role", "moderator", "--reason", "new")

    dora = accounts.find_by_handle("dora")
    assert (dora.role, dora.is_confirmed) == (Role.MODERATOR, True)


def test_nobody_unknown_is_promoted(run):
    result = run("accounts", "promote", "nobody", "--role", "admin", "--reason", "new")

    assert result.exit_code == 1
    assert "Nobody is called nobody" in result.stderr


def test_a_broken_rule_is_said_in_one_line(alice, run):
    arguments = ("accounts", "create", "alice", "other@example.com")
    result = run(*arguments, typed=PASSWORD + "\n")

    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


def test_keys_are_made_once(app, run, tmp_path, monkeypatch):
    path = tmp_path / "new" / "keyring.json"
    monkeypatch.setitem(app.config, "KEYRING", path)

    assert "Wrote" in run("keys", "init").output
    first = path.read_bytes()
    assert "kept" in run("keys", "init").output

    assert path.read_bytes() == first
    assert path.stat().st_mode & 0o777 == 0o600


def test_without_keys_the_scheduler_says_what_to_do(run):
    ring = keyring.ring()
    keyring.use(None)
    try:
        result = run("scheduler")
    finally:
        keyring.use(ring)

    assert result.exit_code == 1
    assert "keys init" in result.stderr


def test_only_the_demo_is_seeded(run):
    result = run("demo", "seed")

    assert result.exit_code == 1
    assert "DEMO" in result.stderr


def test_a_database_without_tables_is_one_line(run, monkeypatch):
    def gone(_):
        db.session.execute(db.text("SELECT * FROM no_such_table"))

    job = JOBS["remind"]
    monkeypatch.setitem(JOBS, "remind", type(job)(job.name, gone, job.every))

    result = run("jobs", "run", "remind", "--at", LONG_AGO)

    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "no_such_table" in result.stderr
