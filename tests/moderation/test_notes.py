from datetime import timedelta

import pytest

from tests import pages
from tests.factories import MONDAY, count, in_transaction, make_account
from tests.moderation.matches import make_hold
from tradeboard.accounts.models import StaffNote
from tradeboard.accounts.rules.holds import NoteKind
from tradeboard.accounts.rules.standing import Role
from tradeboard.audit.models import AuditRow
from tradeboard.core import clock, tally
from tradeboard.core.db import db
from tradeboard.moderation import queries

HOUR = timedelta(hours=1)


@pytest.fixture
def desk(moderator, log_in):
    return log_in(moderator)


def make_note(account, kind=NoteKind.EMAIL, *, at=MONDAY, **columns):
    """Leave a note about somebody."""
    columns.setdefault("detail", "relay.hide_my_email_suspect")
    with in_transaction():
        note = StaffNote(account_id=account.id, kind=kind, made_at=at, **columns)
        db.session.add(note)
    return note


def test_a_note_says_in_words_what_it_is_about(desk, alice):
    make_note(alice)

    html = pages.get(desk, "/desk/notes")
    page = pages.text(html)

    assert "aliceさん" in page
    assert "Appleの「メールを非公開」に似た形です" in page
    assert f'href="/desk/people/{alice.id}"' in html
    assert alice.email not in page


def test_keys_that_meet_name_both_accounts(desk, alice, bob):
    make_note(alice, NoteKind.KEYS_MEET, other_id=bob.id, detail="")

    page = pages.text(pages.get(desk, "/desk/notes"))

    assert "aliceさん" in page
    assert "bobさん" in page
    assert "同じ宛先" in page


def test_a_number_for_review_shows_its_kind_alone(desk, alice):
    make_note(alice, NoteKind.PHONE, detail="voip")

    assert "IP電話（050など）" in pages.get(desk, "/desk/notes")


@pytest.mark.parametrize("detail", ["someone@example.com", "+819012345678", "東京都"])
def test_what_is_no_code_is_not_shown(desk, alice, detail):
    make_note(alice, detail=detail)

    assert detail not in pages.get(desk, "/desk/notes")


def test_a_code_without_words_is_shown_as_it_is(desk, alice):
    make_note(alice, detail="some.new_code")

    assert "some.new_code" in pages.get(desk, "/desk/notes")


def test_a_note_that_was_seen_is_gone(desk, alice, moderator):
    note = make_note(alice)

    answer = pages.submit(desk, "/desk/notes", f"/desk/notes/{note.id}/seen")

    assert answer.status_code == 303
    db.session.rollback()
    seen = db.session.get_one(StaffNote, note.id)
    assert seen.seen_by_id == moderator.id
    assert "待っているメモはありません" in pages.get(desk, "/desk/notes")
    assert count(AuditRow, AuditRow.action == "see note") == 1


def test_a_moderator_reads_no_note_of_the_own(desk, moderator, log_in):
    make_note(moderator)
    other = log_in(make_account("other", role=Role.MODERATOR))

    own, theirs = (pages.get(client, "/desk/notes") for client in (desk, other))

    assert "確認しました<" not in own
    assert "確認しました<" in theirs


def test_the_list_goes_on_to_its_end(desk):
    for number in range(30):
        make_note(make_account(f"person{number:02}"), at=MONDAY + number // 3 * HOUR)

    seen, url = [], "/desk/notes"
    while url:
        page = pages.get(desk, url)
        seen += [n for n in range(30) if f"person{n:02}</bdi>" in page]
        more = page.partition('rel="next"')[0].rpartition('href="')[2]
        url = more.partition('"')[0] if 'rel="next"' in page else None

    assert seen == list(range(30))


def test_the_queue_counts_notes_and_matches_that_bar_nobody(desk, alice, bob):
    make_note(alice, at=MONDAY + HOUR)
    make_hold(alice, bob, now=MONDAY, note=True)

    [queue] = [q for q in queries.queues(MONDAY) if q.name == "notes"]

    assert (queue.count, queue.oldest) == (2, MONDAY)
    assert "保留にしない一致 1件" in pages.get(desk, "/desk/notes")


def test_the_number_of_statements_does_not_grow(desk, alice, statements):
    make_note(alice)
    desk.get("/desk/notes")
    with statements() as few:
        desk.get("/desk/notes")
    for number in range(20):
        make_note(make_account(f"person{number}"), other_id=alice.id)
    with statements() as many:
        desk.get("/desk/notes")

    assert len(few) == len(many)


def test_members_find_nothing(alice, log_in):
    note = make_note(alice)
    client = log_in(alice)

    assert client.get("/desk/notes").status_code == 404
    assert client.post(f"/desk/notes/{note.id}/seen").status_code in (400, 404)


def test_the_system_page_counts_odd_requests_of_thirty_days(desk, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: MONDAY + timedelta(days=40))
    with in_transaction():
        for days in (0, 20, 39, 39):
            tally.count("some-name", now=MONDAY + timedelta(days=days))

    counted = queries.tallies(MONDAY + timedelta(days=40))

    assert [(row.name, row.count) for row in counted] == [("some-name", 3)]
    assert "some-name" in pages.get(desk, "/desk/system")
