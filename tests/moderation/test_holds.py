from datetime import timedelta

import pytest

from tests import pages
from tests.factories import MONDAY, count, in_transaction, make_account
from tests.moderation.matches import (
    DAY,
    confirm_number,
    make_device,
    make_entry,
    make_hold,
    standing_of,
    use,
)
from tests.worlds import make_trade
from tradeboard.accounts.models import Hold, Watch
from tradeboard.accounts.rules.holds import NUMBER_COUNTS_FOR, HoldDecision, Signal
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.audit.models import AuditRow
from tradeboard.core import clock, keyring
from tradeboard.core.db import db
from tradeboard.moderation import queries
from tradeboard.moderation.rules import Queue

HOUR = timedelta(hours=1)
NOW = MONDAY + DAY
CODE = "D-7F3K-9QXM"
NUMBER, OTHER_NUMBER = "+819077772345", "+819077772367"
REASON = "端末は家族のもので、番号も別です。"


@pytest.fixture(autouse=True)
def at_noon(monkeypatch):
    """Let it be the day after Monday on every page."""
    monkeypatch.setattr(clock, "now", lambda: NOW)


@pytest.fixture
def desk(moderator, log_in):
    return log_in(moderator)


@pytest.fixture
def device(app):
    return make_device(CODE)


@pytest.fixture
def hold(alice, bob, device):
    """Alice wrote from a browser of Bob, who is listed."""
    entry = make_entry(bob)
    use(bob, device, MONDAY - 9 * DAY, MONDAY - 2 * DAY)
    use(alice, device, MONDAY - 5 * DAY, MONDAY - HOUR, NOW - HOUR)
    cause = f"entry:{entry.id}"
    return make_hold(alice, bob, now=NOW - HOUR, device=device, cause=cause)


def page_of(client, hold):
    return pages.text(pages.get(client, f"/desk/holds/{hold.id}"))


def decide(client, hold, decision, sentence=REASON, **fields):
    return pages.submit(
        client,
        f"/desk/holds/{hold.id}",
        f"/desk/holds/{hold.id}/decide",
        decision=decision,
        sentence=sentence,
        **fields,
    )


def reread(hold):
    db.session.rollback()
    return db.session.get_one(Hold, hold.id, populate_existing=True)


def test_the_desk_names_open_holds(desk, hold):
    page = pages.text(pages.get(desk, "/desk"))

    assert "登録のある人との一致" in page
    assert 'href="/desk/holds"' in pages.get(desk, "/desk")
    [queue] = [q for q in queries.queues(NOW) if q.name == "holds"]
    assert (queue.count, queue.oldest) == (1, NOW - HOUR)


def test_a_hold_waits_too_long_after_two_days():
    queue = Queue("holds", 1, MONDAY)

    assert not queue.is_overdue(MONDAY + 2 * DAY)
    assert queue.is_overdue(MONDAY + 2 * DAY + HOUR)


def test_a_row_says_who_why_since_when_and_whether_it_was_answered(desk, hold):
    page = pages.text(pages.get(desk, "/desk/holds"))

    assert "aliceさん" in page
    assert "同じ端末" in page
    assert "本人の説明なし" in page
    assert "残り24時間未満" not in page


def test_a_hold_that_ends_within_a_day_is_red(desk, hold, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: hold.until - 23 * HOUR)

    assert "残り24時間未満" in pages.get(desk, "/desk/holds")


def test_a_statement_is_announced_and_shown(desk, alice, bob, device):
    hold = make_hold(
        alice, bob, now=NOW, device=device, statement="弟です。", stated_at=NOW
    )

    assert "本人の説明あり" in pages.get(desk, "/desk/holds")
    assert "弟です。" in page_of(desk, hold)


def test_notes_and_decided_ones_have_lists_of_their_own(desk, alice, bob, charlie):
    dora = make_account("dora")
    make_hold(alice, bob, now=NOW)
    make_hold(charlie, bob, now=NOW, note=True)
    make_hold(
        dora,
        bob,
        now=NOW,
        decision=HoldDecision.ALLOWED,
        decided_at=NOW,
        ended_at=NOW,
    )
    shown = {
        which: [
            name
            for name in ("alice", "charlie", "dora")
            if f"{name}さん" in pages.text(pages.get(desk, f"/desk/holds?show={which}"))
        ]
        for which in ("open", "notes", "decided", "x")
    }

    assert shown == {
        "open": ["alice"],
        "notes": ["charlie"],
        "decided": ["dora"],
        "x": ["alice"],
    }


@pytest.mark.parametrize("which", ["open", "decided"])
def test_the_list_goes_on_to_its_end(desk, bob, which):
    ended = {"ended_at": NOW} if which == "decided" else {}
    for number in range(30):
        person = make_account(f"held{number:02}")
        make_hold(person, bob, now=NOW - number // 2 * HOUR, **ended)

    seen, url = [], f"/desk/holds?show={which}"
    while url:
        page = pages.get(desk, url)
        seen += [n for n in range(30) if f"held{n:02}</bdi>" in page]
        more = page.partition('rel="next"')[0].rpartition('href="')[2]
        url = (
            more.partition('"')[0].replace("&amp;", "&")
            if 'rel="next"' in page
            else None
        )

    assert sorted(seen) == list(range(30))


def test_one_screen_shows_both_people(desk, hold, alice, bob):
    html = pages.get(desk, f"/desk/holds/{hold.id}")
    page = pages.text(html)

    assert f'href="/desk/people/{alice.id}"' in html
    assert f'href="/desk/people/{bob.id}"' in html
    assert f'href="/desk/entries/{hold.cause.removeprefix("entry:")}"' in html
    assert CODE in page
    assert "使用3回" in page
    assert "使用2回" in page
    assert "家族・店の共用端末でも起きます" in page
    assert "重なりなし" not in page
    assert "まだありません" in page


def test_a_browser_that_was_sold_has_no_overlap(desk, alice, bob, device):
    use(bob, device, MONDAY - 9 * DAY, MONDAY - 5 * DAY)
    use(alice, device, MONDAY - 2 * DAY)
    hold = make_hold(alice, bob, now=NOW, device=device)

    assert "重なりなし：譲られた・売られた端末かもしれません" in page_of(desk, hold)


def test_a_browser_whose_uses_are_forgotten_is_still_named(desk, alice, bob, device):
    hold = make_hold(alice, bob, now=NOW, device=device)

    page = page_of(desk, hold)

    assert CODE in page
    assert "記録なし" in page


def test_others_on_the_browser_are_counted_with_their_numbers(desk, hold, device):
    for number in range(3):
        other = make_account(f"other{number}")
        use(other, device, MONDAY - 60 * DAY)
        if number:
            confirm_number(other, f"+81907777000{number}")

    page = page_of(desk, hold)

    assert "3人" in page
    assert "うち、確認済みの電話番号が別々 2人" in page
    assert "30日のあいだに使いました" not in page


def test_a_shared_number_is_shown_masked(desk, alice, bob):
    entry = make_entry(bob)
    confirm_number(alice, NUMBER, at=NOW)
    confirm_number(bob, NUMBER, at=MONDAY - 5 * DAY)
    hold = make_hold(alice, bob, now=NOW, cause=f"entry:{entry.id}")

    page = page_of(desk, hold)

    assert "090-****-**45" in page
    assert "同じ電話番号があります" in page


def test_a_number_that_is_known_by_its_watch_alone_is_shared(desk, alice, bob):
    confirm_number(alice, NUMBER, at=NOW)
    hold = make_hold(alice, bob, now=NOW)
    with in_transaction():
        watch = Watch(
            account_id=bob.id,
            cause="entry:1",
            signal=Signal.PHONE,
            hash=keyring.mac_hex("phone", NUMBER),
            kid=keyring.ring().kid("phone"),
            since=MONDAY,
            until=MONDAY - 100 * DAY + NUMBER_COUNTS_FOR,
        )
        db.session.add(watch)

    page = page_of(desk, hold)

    assert "同じ電話番号があります" in page
    assert "通話で確認 2月21日" in page


def test_what_speaks_for_two_people_is_listed(desk, hold, alice, bob):
    confirm_number(alice, NUMBER)
    confirm_number(bob, OTHER_NUMBER)
    make_trade(alice, bob)
    phone = make_device("D-2222-2222")
    use(bob, phone, MONDAY - HOUR + timedelta(minutes=3))

    page = page_of(desk, hold)

    assert "通話で確認した電話番号が、それぞれ別にあります" in page
    assert "2人のあいだの取引 1件" in page
    assert "別々の端末から5分以内に書いたことが1回あります" in page
    assert "記録の期限より前に登録しています" in page
    assert page.count("別の人らしい") == 4


def test_what_is_missing_is_said_too(desk, alice, bob, device):
    entry = make_entry(bob, due_at=alice.created_at - DAY)
    hold = make_hold(alice, bob, now=NOW, device=device, cause=f"entry:{entry.id}")

    page = page_of(desk, hold)

    assert "電話番号では比べられません" in page
    assert "2人のあいだの取引はありません" in page
    assert "別々の端末から同じころに書いたことはありません" in page
    assert "記録の期限より後に登録しています" in page
    assert "別の人らしい" not in page


def test_places_are_shown_when_both_said_theirs(desk, bob, device):
    one = make_account("one", prefecture="13")
    two = make_account("two", prefecture="27")
    hold, half = (make_hold(one, other, now=NOW, device=device) for other in (two, bob))

    assert "東京都" in page_of(desk, hold)
    assert "大阪府" in page_of(desk, hold)
    assert "東京都" not in page_of(desk, half)


def test_earlier_decisions_about_either_are_there(desk, hold, bob, charlie, moderator):
    make_hold(
        charlie,
        bob,
        now=MONDAY,
        decision=HoldDecision.UNRELATED,
        sentence="別の店の人です。",
        decided_at=MONDAY,
        decided_by_id=moderator.id,
        ended_at=MONDAY,
    )

    page = page_of(desk, hold)

    assert "charlieさん・bobさん：関係なし" in page
    assert "別の店の人です。" in page


def test_no_page_shows_what_nobody_may_see(desk, hold, alice, bob, device):
    for person in (alice, bob):
        confirm_number(person, NUMBER)
    secrets = {
        device.key,
        alice.email,
        bob.email,
        alice.email_key,
        keyring.mac_hex("phone", NUMBER),
        NUMBER,
        NUMBER.removeprefix("+81"),
        "090-7777-2345",
        "千代田区",
    }

    for url in ("/desk/holds", f"/desk/holds/{hold.id}"):
        page = pages.get(desk, url)
        assert not [secret for secret in secrets if secret in page]


@pytest.mark.parametrize("decision", ["unrelated", "allowed"])
def test_these_decisions_end_a_hold_at_once(desk, hold, alice, moderator, decision):
    answer = decide(desk, hold, decision)

    assert answer.status_code == 303
    assert answer.location.endswith(f"/desk/holds/{hold.id}")
    decided = reread(hold)
    assert (decided.decision, decided.sentence) == (decision, REASON)
    assert (decided.decided_by_id, decided.ended_at) == (moderator.id, NOW)
    assert standing_of(alice) is Standing.GOOD
    assert REASON in page_of(desk, hold)
    assert "判断を確定する" not in page_of(desk, hold)


def test_evasion_leads_on_to_listing_by_hand(desk, hold, alice):
    answer = decide(desk, hold, "evasion")

    assert answer.status_code == 303
    assert answer.location.startswith("/desk/entries/new?")
    fields = pages.form_fields(pages.get(desk, answer.location), "/desk/entries/new")
    assert (fields["handle"], fields["finding"]) == ("alice", "by_hand")
    assert standing_of(alice) is Standing.HELD
    assert reread(hold).ended_at is None
    assert 'href="/desk/entries/new?' in pages.get(desk, f"/desk/holds/{hold.id}")


def test_nothing_is_chosen_beforehand_and_a_sentence_is_needed(desk, hold):
    untouched = pages.submit(
        desk, f"/desk/holds/{hold.id}", f"/desk/holds/{hold.id}/decide"
    )
    silent = decide(desk, hold, "allowed", "  ")

    assert (untouched.status_code, silent.status_code) == (422, 422)
    assert "判断を選んでください。" in untouched.text
    assert "Not a valid choice" not in untouched.text
    assert "理由を一文で書いてください。" in silent.text
    assert reread(hold).decided_at is None


def test_the_second_decider_reads_who_decided_what(desk, hold, log_in):
    dora = make_account("dora", role=Role.MODERATOR)
    before = pages.get(desk, f"/desk/holds/{hold.id}")
    assert decide(log_in(dora), hold, "allowed").status_code == 303

    answer = pages.send(
        desk,
        f"/desk/holds/{hold.id}",
        before,
        f"/desk/holds/{hold.id}/decide",
        decision="evasion",
        sentence="別の判断です。",
    )

    assert answer.status_code == 409
    assert "dora" in answer.text
    assert "問題なし" in answer.text
    assert reread(hold).decision is HoldDecision.ALLOWED


def test_a_hold_whose_time_is_over_has_no_form(desk, hold, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: hold.until)

    assert "判断を確定する" not in page_of(desk, hold)


def test_a_match_that_bars_nobody_is_decided_the_same_way(desk, alice, bob, device):
    hold = make_hold(alice, bob, now=NOW, device=device, note=True)

    assert "保留にしない一致です" in page_of(desk, hold)
    assert decide(desk, hold, "unrelated").status_code == 303
    assert reread(hold).ended_at == NOW


@pytest.mark.parametrize("which", ["account", "other"])
def test_a_moderator_who_is_one_of_the_two_cannot_decide(
    bob, device, moderator, desk, log_in, which
):
    dora = make_account("dora", role=Role.MODERATOR)
    pair = (moderator, bob) if which == "account" else (bob, moderator)
    hold = make_hold(*pair, now=NOW, device=device)
    html = pages.get(log_in(dora), f"/desk/holds/{hold.id}")

    assert desk.get(f"/desk/holds/{hold.id}").status_code == 404
    token = pages.form_fields(pages.get(desk, "/desk"), "/logout")["csrf_token"]
    fields = pages.form_fields(html, f"/desk/holds/{hold.id}/decide")
    fields |= {"csrf_token": token, "decision": "allowed", "sentence": REASON}

    answer = desk.post(f"/desk/holds/{hold.id}/decide", data=fields)
    marked = desk.post(
        f"/desk/holds/{hold.id}/devices/{device.id}",
        data={"csrf_token": token, "submit_id": "x", "shared": "1"},
    )

    assert (answer.status_code, marked.status_code) == (404, 404)
    assert reread(hold).decided_at is None


def test_a_browser_is_proposed_as_shared_after_three_people(desk, hold, alice, device):
    confirm_number(alice, NUMBER)
    for number in range(2):
        assert "30日のあいだに使いました" not in page_of(desk, hold)
        other = make_account(f"other{number}")
        use(other, device, NOW - number * DAY)
        confirm_number(other, f"+81907777000{number}")

    assert f"{CODE} は、確認済みの電話番号が別々の3人が" in page_of(desk, hold)


def test_people_with_one_number_are_no_reason_to_propose_it(desk, hold, device):
    for number in range(4):
        other = make_account(f"other{number}")
        use(other, device, NOW)
        confirm_number(other, NUMBER)

    assert "30日のあいだに使いました" not in page_of(desk, hold)


def test_a_browser_is_marked_as_shared_and_unmarked(desk, hold, device):
    url = f"/desk/holds/{hold.id}"
    for shared, button in ((True, "shared=1"), (False, "shared=0")):
        answer = pages.submit(desk, url, f"{url}/devices/{device.id}", button=button)

        assert answer.status_code == 303
        db.session.rollback()
        assert db.session.get_one(type(device), device.id).shared is shared
        assert ("共用端末から外す" in page_of(desk, hold)) is shared
    assert count(AuditRow, AuditRow.action == "mark device") == 2


def test_a_browser_of_others_cannot_be_marked_here(desk, hold):
    foreign = make_device("D-3333-3333")
    token = pages.form_fields(pages.get(desk, "/desk"), "/logout")["csrf_token"]

    answer = desk.post(
        f"/desk/holds/{hold.id}/devices/{foreign.id}",
        data={"csrf_token": token, "submit_id": "x", "shared": "1"},
    )

    assert answer.status_code == 404


def test_members_find_nothing(alice, log_in, hold):
    client = log_in(alice)

    for url in ("/desk/holds", f"/desk/holds/{hold.id}"):
        assert client.get(url).status_code == 404


def test_an_unknown_match_is_not_found(desk):
    assert desk.get("/desk/holds/9").status_code == 404


def test_the_number_of_statements_does_not_grow(
    desk, hold, alice, bob, device, statements
):
    def look():
        for url in ("/desk/holds", f"/desk/holds/{hold.id}"):
            assert desk.get(url).status_code == 200

    look()
    with statements() as few:
        look()
    more = [make_device(f"D-{n:04}-0000") for n in range(5)]
    for number in range(8):
        person = make_account(f"more{number}")
        confirm_number(person, f"+81907777000{number}")
        use(person, device, *(MONDAY - n * HOUR for n in range(20)))
        make_hold(person, bob, now=NOW, device=device, ended_at=NOW)
    for person in (alice, bob):
        confirm_number(person, NUMBER, partner=make_account(f"friend {person.handle}"))
        for other in more:
            use(person, other, *(MONDAY - n * HOUR for n in range(20)))
    with statements() as many:
        look()

    assert len(few) == len(many)
