"""The blacklist for programs: every answer as the document says."""

import json

import pytest
from flask import jsonify
from sqlalchemy import event

from tests import schemas
from tests.api.cases import (
    CHANGES,
    CHECK,
    EXPORT,
    ask,
    bearer,
    describe,
    make_key,
    whole,
)
from tests.blacklist.cases import A_DAY, do, entry_of, lift, listed, uphold, use_device
from tests.factories import DUE, MONDAY, make_account
from tests.soaks import api_fuzz
from tradeboard.app import create_app
from tradeboard.blacklist import queries
from tradeboard.blacklist.api.operations import OPERATIONS
from tradeboard.blacklist.models import Entry
from tradeboard.blacklist.rules.feed import ChangeType
from tradeboard.blacklist.services import feed
from tradeboard.core.db import db

CODE = "D-7F3K-9QXM"
NAMES = [f"name{number}" for number in range(100)]
CODES = [f"D-0000-{number:04}" for number in range(100)]


def post(app, key, body, **rest):
    return ask(app, CHECK, key, method="POST", json=body, **rest)


def statuses(answer):
    return [one["status"] for one in answer.json["answers"]]


def hide(entry):
    def change():
        row = db.session.get_one(Entry, entry.id)
        row.appealed_at = row.hidden_at = DUE
        feed.tell(row, ChangeType.HIDDEN, now=DUE)

    do(change)


def test_many_are_answered_in_their_order(app, alice, bob, charlie):
    use_device(bob, CODE, MONDAY + A_DAY)
    listed(alice, bob)
    hide(listed(alice, charlie))
    key = make_key("bulk")

    answer = post(
        app,
        key,
        {
            "handles": ["nobody", "ＢＯＢ", "charlie", "", CODE.lower(), "x" * 200],
            "devices": [CODE, "D-0000-0000", "bob"],
        },
    )

    assert answer.status_code == 200
    assert statuses(answer) == [
        "none", "listed", "under_appeal", "none", "listed", "none",
        "listed", "none", "none",
    ]  # fmt: skip
    one = ask(app, f"{CHECK}?handle=bob").json["entries"]
    assert [found["entries"] for found in answer.json["answers"]] == [
        [], one, [], [], one, [], one, [], [],
    ]  # fmt: skip
    asked = [one.get("handle", one.get("device")) for one in answer.json["answers"]]
    assert asked[1:3] + asked[-2:] == ["ＢＯＢ", "charlie", "D-0000-0000", "bob"]
    # What no database can keep is nobody's name.
    odd = post(app, key, {"handles": ["bo\0b", "\ud800", "bob"]})
    assert statuses(odd) == ["none", "none", "listed"]


def test_many_at_once_are_told_of_each_what_one_alone_is(app, alice, bob, charlie):
    use_device(bob, CODE, MONDAY + A_DAY)
    for other in (alice, charlie, make_account("dora")):
        entry = listed(other, bob)
    hide(entry)
    listed(alice, charlie)
    names, codes = ["bob", "charlie", "nobody"], [CODE, "D-0000-0000"]
    alone = {name: ask(app, f"{CHECK}?handle={name}").json for name in names}
    alone |= {code: ask(app, f"{CHECK}?device={code}").json for code in codes}

    for body in (
        {"handles": names},
        {"devices": codes},
        {"handles": [*names, CODE], "devices": codes},
    ):
        for told in post(app, make_key("bulk"), body).json["answers"]:
            one = alone[told.get("handle", told.get("device"))]
            assert told["entries"] == one["entries"], told
            assert told["status"] == one["status"]
    assert [entry["count"] for entry in alone["bob"]["entries"]] == [2, 2]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 200),
        ({"handles": NAMES[:60], "devices": CODES[:40]}, 200),
        ({"handles": NAMES[:60], "devices": CODES[:41]}, 422),
        ({"handles": ["a"] * 100, "devices": [CODE] * 100}, 200),
        ({"handles": ["a"] * 101}, 422),
        ({"handles": "bob"}, 422),
        ({"handles": [1]}, 422),
        ({"handles": None}, 422),
        ({"names": ["bob"]}, 422),
        (["bob"], 422),
    ],
)
def test_what_may_be_asked_at_once(app, body, status):
    assert post(app, make_key("bulk"), body).status_code == status


def test_answers_are_written_as_the_framework_writes_them(app, alice, bob):
    use_device(bob, CODE, MONDAY + A_DAY)
    listed(alice, bob)
    key = make_key("bulk")
    odd = ["bob", "竜\u2028", '"<&\\', "\x7f\t", CODE]

    for answer in (
        ask(app, f"{CHECK}?handle=bob"),
        post(app, key, {"handles": odd, "devices": [CODE]}),
    ):
        with app.test_request_context():
            assert answer.data == jsonify(answer.json).data
        assert answer.content_type == "application/json"


def test_what_cannot_be_read_is_refused(app):
    key = make_key("bulk")

    def send(data, kind="application/json"):
        answer = ask(app, CHECK, key, method="POST", data=data, content_type=kind)
        assert answer.mimetype == "application/problem+json"
        assert answer.json["status"] == answer.status_code
        return answer.status_code

    assert send(b"{") == 400
    assert send(b"\xff") == 400
    assert send(b"[" * 100_000) == 400
    assert send(b'{"handles":[]}', "text/plain") == 415
    assert send(b" " * 300_000) == 413
    assert ask(app, CHECK, method="POST", json={}).status_code == 401
    assert post(app, make_key("feed"), {}).status_code == 403


def test_look_ups_cost_the_same_however_many_entries_there_are(
    app, alice, bob, charlie, statements
):
    use_device(bob, CODE, MONDAY + A_DAY)
    listed(alice, bob)
    people = [make_account(f"member{n}") for n in range(9)]
    asked = [queries.Question(handle=one.handle) for one in people]
    asked.append(queries.Question(device=CODE))

    def cost():
        db.session.rollback()
        with statements() as single:
            queries.answer_for(handle="bob", now=DUE)
            queries.answer_for(device=CODE, now=DUE)
        with statements() as many:
            queries.answers_for(asked, now=DUE)
        return len(single), len(many)

    with_one = cost()
    for number, person in enumerate(people):
        listed(alice, person, at=MONDAY + number * A_DAY)

    assert cost() == with_one == (2, 1)
    assert {a.status for a in queries.answers_for(asked, now=DUE)} == {"listed"}


def test_the_feed_is_read_in_pages_and_only_when_it_has_changed(
    app, alice, bob, charlie, moderator
):
    first = listed(alice, bob)
    listed(charlie, bob)
    key = make_key("feed")

    def read(query="", **headers):
        return ask(app, f"{CHANGES}{query}", key, headers=headers)

    page = read("?limit=2").json
    rest = read(f"?since={page['next']}").json
    assert [c["seq"] for c in page["changes"] + rest["changes"]] == [1, 2, 3]
    assert (page["next"], page["more"]) == (2, True)
    assert (rest["next"], rest["more"]) == (3, False)
    assert rest["changes"][0]["entry"] == queries.entry_as_json(
        queries.public_entry(first.id)
    )
    end = read("?since=3")
    assert end.json == {"changes": [], "next": 3, "more": False}
    # A mirror of another history learns that it must begin anew.
    assert read("?since=99").json["next"] == 3

    same = read("?since=3", **{"If-None-Match": end.headers["ETag"]})
    assert (same.status_code, same.data) == (304, b"")
    lift(entry_of(bob), moderator, now=DUE + A_DAY)
    changed = read("?since=3", **{"If-None-Match": end.headers["ETag"]})
    assert [c["type"] for c in changed.json["changes"]] == ["lifted", "amended"]
    assert "Access-Control-Allow-Origin" not in changed.headers


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?since=-1", 422),
        ("?since=x", 422),
        ("?since=", 422),
        ("?since=１", 422),
        ("?since=99999999999999999999", 422),
        ("?limit=0", 422),
        ("?limit=1001", 422),
        ("?limit=1&limit=2", 400),
        ("?limit=1000&since=2147483647", 200),
    ],
)
def test_numbers_are_whole_and_within_bounds(app, query, status):
    assert ask(app, CHANGES + query, make_key("feed")).status_code == status


def test_the_whole_list_is_of_one_moment(app, alice, bob, charlie, moderator):
    one, two = listed(alice, bob), listed(alice, charlie)
    hide(listed(bob, alice))
    key = make_key("feed")

    answer = ask(app, EXPORT, key)

    entries = [json.loads(line) for line in answer.text.splitlines()]
    assert entries == [
        queries.entry_as_json(queries.public_entry(entry.id)) for entry in (one, two)
    ]
    assert answer.headers["X-Feed-Seq"] == str(queries.last_seq()) == "4"
    etag = answer.headers["ETag"]
    assert ask(app, EXPORT, key, headers={"If-None-Match": etag}).status_code == 304
    uphold(one, moderator, now=DUE + A_DAY)
    again = ask(app, EXPORT, key, headers={"If-None-Match": etag})
    assert again.headers["X-Feed-Seq"] == "5"
    assert json.loads(again.text.splitlines()[0])["reviewed"]


def test_a_change_between_two_batches_is_not_seen(
    app, alice, bob, charlie, monkeypatch
):
    monkeypatch.setattr(queries.public, "BATCH", 1)
    listed(alice, bob)
    last = listed(alice, charlie)
    url, engine = db.engine.url, db.engine
    queries.read_one_snapshot()
    seq = queries.last_seq()
    batches = queries.all_public()
    assert len(next(batches)) == 1
    other = engine.dialect.loaded_dbapi.connect
    with connected(url, other) as run:
        run(f"UPDATE entry SET handle = 'changed' WHERE id = {last.id}")
        run("UPDATE feed_head SET seq = 99")

    assert [entry.handle for batch in batches for entry in batch] == ["charlie"]
    assert queries.last_seq() == seq
    db.session.rollback()
    assert queries.last_seq() == 99


class connected:
    """A connection beside the application's."""

    def __init__(self, url, connect):
        self.target, self.connect = url, connect

    def __enter__(self):
        if self.target.get_backend_name() == "sqlite":
            self.connection = self.connect(self.target.database)
        else:
            url = self.target.set(drivername="postgresql")
            self.connection = self.connect(url.render_as_string(hide_password=False))
        return self.connection.execute

    def __exit__(self, *_):
        self.connection.commit()
        self.connection.close()


def test_exporting_often_waits(app, monkeypatch):
    monkeypatch.setattr("tradeboard.blacklist.api.export.RATE", "1 per 10 minutes")
    key = make_key("feed")

    assert [ask(app, EXPORT, key).status_code for _ in range(2)] == [200, 429]


def test_only_the_open_look_up_is_for_scripts_of_other_sites(app):
    key = make_key("bulk", "feed")
    site = {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
    allow = "Access-Control-Allow-Origin"

    asked = ask(app, CHECK, method="OPTIONS", headers=site)
    assert (asked.status_code, asked.headers[allow]) == (204, "*")
    assert asked.headers["Access-Control-Allow-Methods"] == "GET"
    assert "Access-Control-Allow-Headers" not in asked.headers
    for url in (f"{CHECK}?handle=bob", CHECK):
        assert ask(app, url, headers=site).headers[allow] == "*"

    answers = [
        ask(app, CHECK, key, method="POST", json={}, headers=site),
        ask(app, CHANGES, key, headers=site),
        ask(app, EXPORT, key, headers=site),
        ask(app, CHANGES, method="OPTIONS", headers=site),
    ]
    assert [allow in answer.headers for answer in answers] == [False] * 4
    assert answers[0].status_code == 200


def test_cookies_mean_nothing_here(app, alice, log_in, statements):
    client = log_in(alice)
    client.set_cookie("language", "en")
    stranger = app.test_client().get(f"{CHECK}?handle=")
    with statements() as seen:
        mine = client.get(f"{CHECK}?handle=", headers=bearer(""))

    assert seen == []
    assert (mine.status_code, mine.json) == (422, stranger.json)
    for answer in (mine, stranger):
        del answer.headers["X-Request-ID"]  # Every answer has its own.
    assert dict(mine.headers) == dict(stranger.headers)
    assert "Cookie" not in mine.headers["Vary"]
    assert client.post(CHECK, json={}).status_code == 401


def test_a_single_look_up_with_a_key_counts_against_it(app, monkeypatch):
    monkeypatch.setattr("tradeboard.blacklist.api.check.RATE", "1 per 1 minute")
    key = make_key("check")

    url = f"{CHECK}?handle=bob"
    assert [ask(app, url, key).status_code for _ in range(3)] == [200] * 3
    assert ask(app, url, "tb_").status_code == 401
    assert [ask(app, url).status_code for _ in range(2)] == [200, 429]


def test_whatever_else_is_asked_is_answered_with_a_problem(app):
    for url, method, status in (
        ("/api/v1/nothing", "GET", 404),
        ("/api/", "GET", 404),
        (CHECK, "DELETE", 405),
        (CHANGES, "POST", 405),
        (f"{CHECK}?handle=a&handle=b", "GET", 400),
    ):
        answer = ask(app, url, method=method)
        assert (answer.status_code, answer.mimetype) == (
            status,
            "application/problem+json",
        )
        assert set(answer.json) == {"type", "title", "status", "detail"}
        assert ("Allow" in answer.headers) is (status == 405)


@pytest.fixture
def failing(app):
    """Let the database refuse what is asked of it."""

    def fail(*_):
        raise db.engine.dialect.loaded_dbapi.OperationalError("away")

    event.listen(db.engine, "before_cursor_execute", fail)
    yield
    event.remove(db.engine, "before_cursor_execute", fail)


def test_what_could_not_be_checked_is_unknown_everywhere(app, alice, bob, failing):
    listed_before = {"handles": ["bob"]}
    key = "tb_0123456789abcdef_" + "A" * 43

    answers = [
        ask(app, f"{CHECK}?handle=bob"),
        post(app, key, listed_before),
        ask(app, CHANGES, key),
        ask(app, EXPORT, key),
    ]

    for answer in answers:
        assert (answer.status_code, answer.mimetype) == (503, "application/json")
        assert answer.json["status"] == "unknown"


def test_the_document_describes_itself_and_its_examples(app):
    answer = ask(app, "/api/v1/openapi.json")
    document = answer.json

    assert document["openapi"] == "3.1.0"
    assert document["info"].pop("title") == "トレード掲示板 API"
    assert document["info"].items() < whole()["info"].items()
    assert document == whole() | {"info": document["info"]}
    paths = {str(rule) for rule in app.url_map.iter_rules() if "/api/v1/" in str(rule)}
    assert set(document["paths"]) == paths
    shapes = document["components"]["schemas"]
    for described in document["paths"].values():
        for operation in described.values():
            contents = [operation.get("requestBody", {})]
            contents += operation["responses"].values()
            for media in (m for c in contents for m in c.get("content", {}).values()):
                if "example" in media:
                    found = schemas.mistakes(media["example"], media["schema"], shapes)
                    assert found == []
    assert "429" in describe(CHECK, "GET")["responses"]
    wrong = {"status": "none", "as_of": "now", "entries": [{"id": 0}], "more": 1}
    assert len(schemas.mistakes(wrong, shapes["Answer"], shapes)) > 8


def test_the_page_explains_all_of_it_in_both_languages(app):
    for language, words in (("ja", "変更を受け取る"), ("en", "curl")):
        answer = app.test_client().get("/api", headers={"Accept-Language": language})
        page = answer.get_data(as_text=True)
        assert answer.status_code == 200
        assert words in page
        for operation in OPERATIONS:
            assert operation.path in page
        assert "{url}" not in page
        assert "http://127.0.0.1:8000/api/v1/blacklist/changes?since=40" in page


def test_a_key_opens_nothing_when_there_is_no_database(tmp_path, ring):
    away = create_app(
        TESTING=True,
        SECRET_KEY="a secret of the tests that is long enough",
        DATABASE_URL=f"sqlite:///{tmp_path}/no/such/folder.sqlite",
        KEYRING=ring,
        UPLOADS=tmp_path,
    )

    answer = away.test_client().get(
        CHANGES, headers=bearer("tb_0123456789abcdef_" + "A" * 43)
    )

    assert (answer.status_code, answer.json["status"]) == (503, "unknown")


def test_whatever_is_asked_the_answer_is_as_the_document_says(app, capsys):
    cases = 100 if db.engine.dialect.name == "sqlite" else 50

    assert api_fuzz.run(app, cases=cases) == 0, capsys.readouterr().out
