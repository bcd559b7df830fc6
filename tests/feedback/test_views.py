from tests import pages
from tests.feedback.worlds import ENDED, ended, say
from tradeboard.core import clock, drafts
from tradeboard.trades.rules.states import TradeState

WORDS = "ていねいな取引でした"


def url_of(trade_id):
    return f"/trades/{trade_id}/feedback"


def test_feedback_is_written_looked_at_again_and_sent_once(app, log_in, alice, bob):
    trade_id = ended(alice, bob, at=clock.now())
    url, hers, his = url_of(trade_id), log_in(alice), log_in(bob)

    none = pages.submit(hers, url, url, button="do=review", words=WORDS)
    assert none.status_code == 422
    assert "評価を選んでください" in none.text
    assert WORDS in none.text
    answer = pages.submit(
        hers, url, url, button="do=review", grade="good", tags=["quick"], words=WORDS
    )
    assert answer.location == f"{url}/review"
    page = pages.get(hers, answer.location)
    assert WORDS in page
    assert "発送が早い" in page
    for _ in range(2):  # the same button, pressed twice
        sent = pages.send(hers, answer.location, page, f"{url}/send")
        assert sent.location == url

    assert drafts.find(alice.id, "feedback", trade_id) is None
    room = pages.get(hers, url)
    assert WORDS in room
    assert "評価待ち" in room
    assert "評価を選" not in pages.get(his, url)
    assert pages.get(his, url).count(WORDS) == 0
    assert hers.get(f"{url}/review").status_code == 303

    say(trade_id, bob, "bad", "別の言葉", at=clock.now())
    assert "別の言葉" in pages.get(hers, url)
    assert WORDS in pages.get(his, url)


def test_a_partner_learns_nothing_before_it_is_shown(app, log_in, alice, bob):
    trade_id = ended(alice, bob, at=clock.now())
    his = log_in(bob)
    paths = (url_of(trade_id), f"/trades/{trade_id}", "/trades", "/todo", "/u/alice")

    def read():
        return [shape(pages.get(his, path)) for path in (*paths, "/u/bob")]

    before = read()
    say(trade_id, alice, "bad", WORDS, at=clock.now())

    assert read() == before
    assert "評価待ち" in pages.get(his, url_of(trade_id))


def shape(html):
    """Return what a page says, without the values that differ each time."""
    import re

    html = re.sub(r'(value|data-now|datetime|nonce)="[^"]*"', "", html)
    return re.sub(r"\d\d:\d\d(:\d\d)?", "", html)


def test_a_draft_is_kept_by_button_and_while_typing(app, log_in, alice, bob):
    trade_id = ended(alice, bob, at=clock.now())
    url, client = url_of(trade_id), log_in(alice)

    pages.submit(client, url, url, button="do=draft", grade="x" * 9000)
    assert drafts.find(alice.id, "feedback", trade_id)["grade"] == ""
    answer = pages.submit(client, url, url, button="do=draft", words="途中まで")
    assert answer.location == url
    assert "途中まで" in pages.get(client, url)
    fields = pages.form_fields(pages.get(client, url), url)
    typed = {"do": "keep", "grade": "fair", "words": "もう少し"}
    kept = client.post(url, data={**fields, **typed})
    assert kept.status_code == 200
    assert "下書きを保存しました" in kept.text
    assert drafts.find(alice.id, "feedback", trade_id)["grade"] == "fair"


def test_who_may_not_write_reads_why(app, log_in, alice, bob, charlie):
    running = ended(alice, bob, state=TradeState.SHIPPED)
    long_ago = ended(alice, bob, at=ENDED)
    client = log_in(alice)

    assert "取引が終わると書けます" in pages.get(client, url_of(running))
    assert "期間は終わりました" in pages.get(client, url_of(long_ago))
    assert log_in(charlie).get(url_of(long_ago)).status_code == 404
    assert app.test_client().get(url_of(long_ago)).status_code == 303


def test_a_moderator_hides_words_on_the_desk(app, log_in, alice, bob, moderator):
    trade_id = ended(alice, bob, at=clock.now())
    row_id = say(trade_id, alice, "bad", WORDS, at=clock.now()).id
    desk, url = log_in(moderator), f"/desk/feedback/{row_id}"
    assert desk.get(url).status_code == 404
    say(trade_id, bob, at=clock.now())

    assert log_in(alice).get(url).status_code == 404
    assert pages.submit(desk, url, url).status_code == 422
    assert pages.submit(desk, url, url, reason="personal").status_code == 303
    his = pages.get(log_in(bob), url_of(trade_id))
    assert WORDS not in his
    assert "言葉は運営が非表示にしました" in his
    assert "個人の情報" in pages.get(log_in(alice), url_of(trade_id))
    assert pages.submit(desk, url, f"{url}/restore").status_code == 303
    assert WORDS in pages.get(log_in(bob), url_of(trade_id))
