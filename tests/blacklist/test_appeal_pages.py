"""The own entry's page: signed in or by a mailed link, appeal, statement, drafts."""

import io

import pytest

from tests import pages
from tests.blacklist.cases import (
    A_DAY,
    appeal,
    do,
    lift,
    listed,
    mails,
    picture,
    token_in,
    uphold,
    use_device,
)
from tests.factories import DUE, MONDAY, count, make_account
from tradeboard.accounts.rules.standing import Role
from tradeboard.accounts.services import closing
from tradeboard.blacklist import jobs
from tradeboard.blacklist.models import (
    Appeal,
    AppealLink,
    EntryDraft,
    Evidence,
    EvidenceFile,
    EvidenceRequest,
)
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.blacklist.services import appeals
from tradeboard.blacklist.views import uploads
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.notifications import mailer
from tradeboard.notifications.models import OutboxMail
from tradeboard.web import throttling

PUBLIC = "最初の発送から2週間以内に、品物が発送されなかった取引"
SEND, DRAFT = "do=send", "do=draft"


def bad():
    return io.BytesIO(b"no picture"), "IMG.heic"


def first(model, *conditions):
    db.session.rollback()
    return db.session.query(model).filter(*conditions).order_by(model.id.desc()).first()


@pytest.fixture
def entry(alice, bob):
    """Bob is listed since he never sent."""
    use_device(bob, "D-7F3K-9QXM", MONDAY + A_DAY)
    return listed(alice, bob)


@pytest.fixture
def link(entry, bob):
    """Where the link in his mail leads."""
    return f"/appeals/{token_in(bob, 'listed')}"


def test_the_mailed_link_opens_the_facts_and_uses_nothing_up(app, entry, link, bob):
    visitor = app.test_client()

    for _ in range(2):  # A scanner may have been there before.
        assert visitor.head(link).status_code == 200
        answer = visitor.get(link)
        assert answer.status_code == 200
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "no-store" in answer.headers["Cache-Control"]
        assert answer.headers["X-Robots-Tag"] == "noindex"
    assert db.session.query(AppealLink).one().used_at is None

    page = pages.text(answer.get_data(as_text=True))
    for words in (
        "掲示板に残っている事実",
        "発送の記録なし",
        PUBLIC,
        "D-7F3K-9QXM",
        "異議を申し立てる",
        "新しい募集・申し込み・合意はできません",
        "2週間の期限",
        "担当者の審査を待っています",
        "記録した時2026年6月",
        "公開の終わり",
    ):
        assert words in page
    assert "alice" not in page
    mail = first(OutboxMail, OutboxMail.account_id == bob.id)
    said = mailer.render(mail)[1]
    for words in (PUBLIC, "期限：", "登録した月：2026年6月", "自動・審査待ち", link):
        assert words in said
    assert said.count("http") == 1
    assert "14日以内に" in said
    assert "公開の終わり：" in said
    assert link not in mailer.without_secrets(said)


def test_a_link_appeals_once_and_stays_readable(app, entry, link, bob, moderator):
    visitor = app.test_client()
    page = pages.get(visitor, link)
    words = "6月2日に発送しました。\n控えがあります。"
    given = {"words": words, "photo": picture()}

    # Without a referrer, over TLS, as the page's own policy makes browsers send it.
    fields = pages.form_fields(page, link) | given | {"do": "send"}
    first_answer = visitor.post(link, data=fields, base_url="https://localhost")
    fields["photo"] = picture()
    again = visitor.post(link, data=fields, base_url="https://localhost")

    assert first_answer.status_code == again.status_code == 303
    assert again.location == first_answer.location
    made = first(Appeal)
    assert (made.words, made.by_link, count(Appeal)) == (words, True, 1)
    assert mails(bob) == ["listed", "appealed"]
    assert mails(moderator) == ["appeal_waiting"]
    shown = pages.text(pages.get(visitor, link))
    assert "申し立てを受け取りました。結果と理由はメールで届きます。" in shown
    assert "異議申し立て中" in shown

    do(
        appeals.refuse,
        made.id,
        "控えの日付は期限のあとです。",
        version=made.version,
        by=moderator,
        now=clock.now(),
    )
    shown = pages.get(visitor, link)
    assert "控えの日付は期限のあとです。" in shown
    assert "もう受け取っています" in pages.text(shown)
    fields |= {"submit_id": "another", "words": "ほかの控え", "photo": picture()}
    refused = visitor.post(link, data=fields)
    assert refused.status_code == 409
    assert "ほかの控え" in refused.get_data(as_text=True)
    assert count(Appeal) == 1


def test_a_wrong_token_finds_nothing_and_an_ended_entry_says_so(
    app, entry, link, moderator
):
    visitor = app.test_client()

    for wrong in ("/appeals/x", link[:-1] + ("A" if link[-1] != "A" else "B")):
        answer = visitor.get(wrong)
        assert answer.status_code == 404
        assert answer.headers["Referrer-Policy"] == "no-referrer"
    lift(entry, moderator, now=DUE + A_DAY)

    answer = visitor.get(link)
    assert answer.status_code == 410
    assert entry.number in answer.get_data(as_text=True)
    assert visitor.post(link).status_code in (400, 410)


def test_whoever_has_left_appeals_by_the_link(app, entry, link, bob, moderator):
    do(closing.close, bob.id, now=DUE + A_DAY)
    visitor = app.test_client()

    draft = pages.submit(visitor, link, link, button=DRAFT, words="控えを探して")
    assert draft.status_code == 303
    assert first(EntryDraft, EntryDraft.kind == "appeal").account_id == bob.id
    assert "控えを探して" in pages.get(visitor, link)
    assert pages.submit(visitor, link, link, button=SEND).status_code == 303

    assert count(EntryDraft) == 0
    mail = first(OutboxMail, OutboxMail.template == "blacklist/mail/appealed.txt")
    newer = mailer.render(mail)[1]
    assert "/appeals/" in newer
    assert "/blacklist/mine" not in newer


def test_a_signed_in_person_appeals_with_pictures(entry, log_in, bob, charlie):
    client, url = log_in(bob), f"/blacklist/mine/{entry.id}"
    assert log_in(charlie).post(f"{url}/appeal").status_code in (400, 404)
    assert log_in(charlie).get(url).status_code == 404

    refused = pages.submit(
        client,
        url,
        f"{url}/appeal",
        button=SEND,
        words="控え" * 2001,
        photo=[picture("a.jpg"), bad(), picture("b.jpg")],
    )
    assert refused.status_code == 422
    html = refused.get_data(as_text=True)
    assert "控え" * 2001 in html
    assert "IMG.heic：画像として読めませんでした" in html
    assert "写真2枚を預かっています" in html
    assert "4000字までです。" in html

    answer = pages.send(client, url, html, f"{url}/appeal", button=SEND, words="控え")
    assert answer.status_code == 303
    assert count(EvidenceFile) == 2
    page = pages.get(client, url)
    assert page.count("/evidence/") == 4
    assert "判断の期限" in page
    assert "異議申し立て中" in pages.get(client, "/blacklist/mine")

    second = pages.send(client, url, html, f"{url}/appeal", submit_id="x", words="また")
    assert second.status_code == 409
    assert "また" in second.get_data(as_text=True)
    assert count(Appeal) == 1


def test_drafts_come_back_with_words_and_pictures(app, entry, log_in, bob):
    client, url = log_in(bob), f"/blacklist/mine/{entry.id}"
    kept = {
        "statement": {"words": "", "photo": None},
        "appeal": {"words": "途中です", "photo": [picture("a.jpg"), picture("b.jpg")]},
    }
    for kind, fields in kept.items():
        saved = pages.submit(client, url, f"{url}/{kind}", button=DRAFT, **fields)
        assert saved.status_code == 303
    refused = pages.submit(
        client, url, f"{url}/statement", button=DRAFT, words="説明中", photo=bad()
    )
    assert refused.status_code == 422

    page = pages.get(log_in(bob), url)
    assert pages.form_fields(page, f"{url}/appeal")["words"] == "途中です"
    assert pages.form_fields(page, f"{url}/statement")["words"] == "説明中"
    assert "写真2枚を預かっています" in page
    jobs.clean_evidence(clock.now() + 3 * A_DAY)

    for _ in range(59):  # the 60th picture of this hour is the last one
        throttling.count("evidence", f"appeal {entry.id} {bob.id}", uploads.RATE)
    page = pages.get(client, url)
    for status, photo in ((303, None), (422, picture("c.jpg"))):
        answer = pages.send(
            client, url, page, f"{url}/appeal", button=DRAFT, photo=photo
        )
        assert answer.status_code == status

    fewer = pages.submit(client, url, f"{url}/appeal", button="do=drop-1")
    assert fewer.status_code == 303
    assert "写真1枚を預かっています" in pages.get(client, url)
    assert pages.submit(client, url, f"{url}/appeal", button=SEND).status_code == 303
    assert pages.submit(client, url, f"{url}/statement", button=SEND).status_code == 303

    assert count(EntryDraft) == 0
    assert count(EvidenceFile) == 1
    file = first(EvidenceFile)
    jobs.clean_evidence(clock.now() + 3 * A_DAY)
    folder = app.config["UPLOADS"] / "evidence"
    assert {path.name for path in folder.iterdir()} == {
        f"{file.id}-480.jpg",
        f"{file.id}-2048.jpg",
    }


def test_an_overdue_appeal_shows_no_facts_to_others(
    app, entry, alice, bob, moderator, log_in
):
    visitor, hers = app.test_client(), log_in(alice)
    room = f"/trades/{entry.trade_id}"
    assert "登録あり" in pages.text(pages.get(hers, "/u/bob"))
    made = appeal(entry, bob)
    for url in ("/u/bob", room):
        assert "登録あり・異議申し立て中" in pages.text(pages.get(hers, url))
    jobs.hide_overdue_appeals(made.due_at)

    answer = pages.text(pages.get(visitor, "/blacklist?handle=bob"))
    assert "登録あり・異議申し立て中" in answer
    assert PUBLIC not in answer
    own = pages.text(pages.get(log_in(bob), f"/blacklist/mine/{entry.id}"))
    assert "期限を過ぎているため、内容を公開していません" in own
    assert "とだけ答えます" in own

    do(
        appeals.refuse,
        made.id,
        "確かめました。",
        version=first(Appeal).version,
        by=moderator,
        now=made.due_at + A_DAY,
    )
    assert PUBLIC in pages.text(pages.get(visitor, "/blacklist?handle=bob"))
    assert "登録あり・異議申し立て中" not in pages.text(pages.get(hers, room))


def ask(entry, person, moderator, words="伝票の写真はありますか"):
    now = clock.now()
    request = EvidenceRequest(
        entry_id=entry.id,
        to_id=person.id,
        by_id=moderator.id,
        words=words,
        made_at=now,
        due_at=now + 7 * A_DAY,
    )
    do(db.session.add, request)


def test_the_one_who_was_asked_answers(entry, alice, bob, charlie, moderator, log_in):
    ask(entry, alice, moderator)
    ask(entry, bob, moderator, "追跡番号を教えてください")
    asked, mine = f"/blacklist/asked/{entry.id}", f"/blacklist/mine/{entry.id}"
    hers, his = log_in(alice), log_in(bob)

    room = f"/trades/{entry.trade_id}"
    assert asked in pages.get(hers, room)
    assert log_in(charlie).get(asked).status_code == 404
    assert his.get(asked).location.endswith(mine)
    page = pages.get(hers, asked)
    assert "伝票の写真はありますか" in page
    assert "追跡番号を教えてください" not in page
    answer = pages.submit(
        hers, asked, words="伝票があります", photo=picture(), button=SEND
    )
    assert answer.status_code == 303
    assert "に答えました" in pages.text(pages.get(hers, asked))
    assert asked not in pages.get(hers, room)
    assert first(EvidenceRequest, EvidenceRequest.to_id == bob.id).answered_at is None

    page = pages.get(his, mine)
    assert "追跡番号を教えてください" in page
    assert "伝票があります" not in page
    pages.submit(his, mine, f"{mine}/statement", words="ありません", button=SEND)
    assert first(EvidenceRequest, EvidenceRequest.to_id == bob.id).answered_at

    kinds = {(e.by_id, e.kind) for e in db.session.query(Evidence)}
    assert kinds == {(alice.id, "answer"), (bob.id, "statement")}


def test_the_mails_of_an_appeal_render_in_both_languages(entry, bob, moderator):
    make_account("root", role=Role.ADMIN)
    uphold(entry, moderator, now=DUE + A_DAY)
    made = appeal(entry, bob)
    jobs.hide_overdue_appeals(made.due_at)
    root = first(OutboxMail, OutboxMail.template == "blacklist/mail/appeal_red.txt")
    assert made.state is AppealState.OPEN

    found = db.session.query(OutboxMail).filter(
        OutboxMail.template.like("blacklist/mail/appeal%")
    )
    names = set()
    for mail in found:
        names.add(mail.template)
        for language in ("ja", "en"):
            mail.language = language
            subject, body = mailer.render(mail)
            assert entry.number in subject
            assert body.count("http") == 1
    db.session.rollback()
    assert len(names) == 4
    assert root is not None
