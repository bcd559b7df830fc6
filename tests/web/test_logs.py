"""One line of JSON for each request and event, that nobody can forge."""

import io
import json
import logging

import pytest
import structlog
from sqlalchemy import text

from tests.factories import MONDAY, in_transaction
from tests.test_scheduler import make_job
from tradeboard.core import doing, slow
from tradeboard.core.db import db
from tradeboard.core.tally import count
from tradeboard.scheduler import turns
from tradeboard.web import logs

SHARP = "a\rb\nc\x1b[31md\0e\x7ff\x85g\u2028h\u202ei\u2066j"
UNSEEN = [chr(n) for n in (*range(32), *range(127, 160), 0x2028, 0x2029, 0x202E)]


@pytest.fixture
def heard():
    """Return how to read the lines that a server would write."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers[:], root.level
    written = io.StringIO()
    logs.set_up("INFO")
    root.handlers[0].setStream(written)

    def heard():
        lines = written.getvalue().removesuffix("\n").split("\n")
        for line in lines:
            assert not [sign for sign in UNSEEN if sign in line]
        return [json.loads(line) for line in lines if line]

    yield heard
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**before)


def test_each_request_is_one_line_with_an_id_that_the_answer_has(app, alice, heard):
    client = app.test_client()

    answers = [
        client.get("/healthz?q=secret", headers={"X-Request-ID": "forged"}),
        client.get(f"/no-such-page/{'x' * 50}"),
        client.post("/login", data={"email": "secret@example.com"}),
    ]

    lines = [line for line in heard() if line["logger"] == "tradeboard.request"]
    assert [line["id"] for line in lines] == [
        a.headers["X-Request-ID"] for a in answers
    ]
    assert [(line["event"], line["route"], line["status"]) for line in lines] == [
        ("request", "/healthz", 200),
        ("request", "", 404),
        ("login refused, form token refused", "/login", 400),
    ]
    assert {line["net"] for line in lines} == {"127.0.0.0/24"}
    assert lines[0]["statements"] == 1
    assert lines[1]["id"] in answers[1].get_data(as_text=True)
    assert not any("secret" in json.dumps(line) for line in lines)
    assert all(line.keys() <= logs.KEYS for line in lines)
    assert doing.current() is None


def test_what_is_sharp_in_any_field_gives_one_line_that_can_be_read(app, heard):
    client = app.test_client()

    logging.getLogger("odd\n").warning("said %s", SHARP, extra={"words": "secret"})
    log = structlog.get_logger("other")
    log.warning(SHARP, account=SHARP, words="secret", route=[SHARP], ms=1.5)
    try:
        raise LookupError(SHARP)
    except LookupError:
        log.exception("failed")
    quoted = "/x%0D%0A%1B%7F%C2%85%E2%80%A8"
    client.get(
        quoted, headers={"User-Agent": SHARP.replace("\r", "").replace("\n", "")}
    )

    lines = heard()
    assert len(lines) == 4
    assert "secret" not in json.dumps(lines)
    assert lines[1]["event"] == lines[1]["account"]
    assert lines[1]["ms"] == 1.5
    assert "LookupError" in lines[2]["exception"]


def test_a_job_gives_its_name_and_one_number_to_all_that_it_logs(app, heard):
    def run(_now):
        logging.getLogger("tradeboard.odd").warning("first")
        logging.getLogger("tradeboard.odd").warning("second")
        return 0

    for _ in range(2):
        turns.perform(make_job(run, name="odd-job"), MONDAY)

    lines = heard()
    assert {line["doing"] for line in lines} == {"odd-job"}
    first, second, third, fourth = (line["id"] for line in lines)
    assert first == second != third == fourth


def test_a_slow_statement_is_logged_without_what_it_was_about(app, heard, monkeypatch):
    monkeypatch.setattr(slow._Limits, "seconds", 1e-9)
    monkeypatch.setattr(slow, "MOST_A_MINUTE", 3)
    slow._Limits.logged.clear()

    with in_transaction(), doing.job("odd-job") as run:
        count("what it was about", now=MONDAY)
    client = app.test_client()
    for _ in range(5):
        client.get("/healthz")

    lines = [line for line in heard() if line["event"] == "slow statement"]
    assert len(lines) == 3
    assert (lines[0]["id"], lines[0]["doing"]) == (run.id, "odd-job")
    assert lines[0]["statement"].startswith("INSERT INTO tally (name, day, count)")
    assert lines[1]["doing"] == "/healthz"
    assert "what it was about" not in json.dumps(lines)
    assert run.statements == 1

    monkeypatch.setattr(slow._Limits, "seconds", 0.0)
    slow._Limits.logged.clear()
    db.session.execute(text("SELECT 1"))
    assert not slow._Limits.logged
