from datetime import UTC, datetime, timedelta

from tests.factories import MONDAY
from tests.worlds import make_trade
from tradeboard.core import clock
from tradeboard.trades.rules import calendar
from tradeboard.trades.rules.calendar import Entry, escape, fold, render

SECRETS = ("0901234", "千代田区", "蒼天の竜", "紅蓮の騎士")


def read(text):
    """Read a calendar file as RFC 5545 says, with nothing of ours: its events."""
    assert text.endswith("\r\n")
    raw = text.encode().split(b"\r\n")
    assert all(len(line) <= 75 for line in raw)
    assert b"\n" not in b"".join(raw)
    lines = text.replace("\r\n ", "").split("\r\n")[:-1]
    assert (lines[0], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")
    events, inside = [], []
    for line in lines:
        name, _, value = line.partition(":")
        if name == "BEGIN":
            inside.append(value)
            if value == "VEVENT":
                events.append({})
        elif name == "END":
            assert inside.pop() == value
        elif inside[-1] == "VEVENT":
            events[-1][name] = unescaped(value)
    return events


def unescaped(value):
    found, rest = "", iter(value)
    for character in rest:
        if character == "\\":
            following = next(rest)
            character = "\n" if following == "n" else following
        found += character
    return found


def test_lines_are_folded_by_octets_and_texts_come_back_as_they_were():
    hard = "取引；カード, a;b\\c\n" * 9 + "🐉" * 40
    entry = Entry("trade-1-due", MONDAY, hard, hard, "https://board.example/trades/1")

    [event] = read(render([entry], version=7, host="board.example", now=MONDAY))

    assert event["SUMMARY"] == event["DESCRIPTION"] == hard
    assert event["UID"] == "trade-1-due@board.example"
    assert event["SEQUENCE"] == "7"
    assert event["DTSTART"] == MONDAY.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    assert all(len(piece.encode()) <= 75 for piece in fold("あ" * 99).split("\r\n"))
    assert escape("a\r\nb\x00") == "a\\nb"
    assert calendar.LONGEST_LINE == 75


def test_a_party_takes_the_deadlines_home_and_nobody_else(log_in, alice, bob, charlie):
    now = clock.now()
    trade = make_trade(alice, bob, sent_by=[alice], at=now - timedelta(days=2))
    due, version, url = trade.due_at, trade.version, f"/trades/{trade.id}/calendar.ics"

    answer = log_in(bob).get(url)

    assert answer.content_type == "text/calendar; charset=utf-8"
    latest, last = sorted(read(answer.text), key=lambda event: event["DTSTART"])
    assert read_instant(last["DTSTART"]) == due.replace(microsecond=0)
    assert read_instant(latest["DTSTART"]) == (due - timedelta(days=4)).replace(
        microsecond=0
    )
    assert last["SEQUENCE"] == str(version)
    assert last["UID"].startswith(f"trade-{trade.id}-due@")
    assert not [secret for secret in SECRETS if secret in answer.text]
    # Who has sent needs no day to send on.
    assert len(read(log_in(alice).get(url).text)) == 1
    assert log_in(charlie).get(url).status_code == 404


def read_instant(text):
    return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
