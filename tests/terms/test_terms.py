import pytest

from tests import pages
from tests.factories import MONDAY, count, make_account
from tradeboard.core import clock
from tradeboard.core.errors import Conflict, NotAllowed
from tradeboard.core.transaction import transaction
from tradeboard.terms import queries, rules, services
from tradeboard.terms.models import Agreement

TYPED = {"title": "竜と魔導師", "note": "長い文\n二行目"}


@pytest.fixture
def newcomer(app):
    """She has agreed to nothing yet."""
    return make_account("dora", agreed=False)


def publish(extra="- もう一つの要点です。\n"):
    text = services.packaged_text("ja") + "\n" + extra
    with transaction():
        return services.publish(text, services.packaged_text("en"), clock.now())


def test_the_first_writing_asks_and_carries_everything_along(newcomer, log_in):
    client = log_in(newcomer)

    asked = pages.submit(client, "/writing", button="post", **TYPED)
    page = asked.get_data(as_text=True)
    form = pages.find_form(page)
    assert asked.status_code == 200
    assert form.action == "/writing?x=1"
    assert "agree_terms" not in form.values()
    assert count(Agreement) == 0

    done = pages.send(client, "/writing", page, agree_terms="1")
    assert done.get_data(as_text=True) == "竜と魔導師|長い文\n二行目|post"
    assert queries.agreed_number(newcomer.id) == 1

    again = pages.submit(client, "/writing", button="post", **TYPED)
    assert again.get_data(as_text=True).startswith("竜と魔導師")


def test_an_unticked_box_asks_again_and_loses_nothing(newcomer, log_in):
    client = log_in(newcomer)
    asked = pages.submit(client, "/writing", button="post", **TYPED)

    refused = pages.send(client, "/writing", asked.get_data(as_text=True))
    done = pages.send(
        client, "/writing", refused.get_data(as_text=True), agree_terms="1"
    )

    assert refused.status_code == 422
    assert done.get_data(as_text=True) == "竜と魔導師|長い文\n二行目|post"


def test_declining_leads_back_to_the_page_of_the_form(newcomer, log_in):
    client = log_in(newcomer)
    data = pages.form_fields(pages.get(client, "/writing"), "/writing")

    asked = client.post(
        "/writing", data=data, headers={"Referer": "http://localhost/writing"}
    )

    assert '<a class="btn quiet" href="/writing">' in asked.get_data(as_text=True)


def test_a_new_version_asks_again_and_shows_what_changed(app, alice, log_in):
    client = log_in(alice)
    first = pages.submit(client, "/writing", **TYPED)
    assert first.get_data(as_text=True).startswith("竜と魔導師")

    publish()
    asked = pages.submit(client, "/writing", **TYPED).get_data(as_text=True)
    assert "<ins>- もう一つの要点です。</ins>" in asked

    old = pages.send(client, "/writing", asked, agree_terms="1")
    assert pages.find_form(old.get_data(as_text=True)).action == "/writing?x=1"
    assert queries.agreed_number(alice.id) == 1
    pages.send(client, "/writing", asked, agree_terms="2")
    assert queries.agreed_number(alice.id) == 2


def test_whoever_has_not_agreed_is_refused_by_the_service(app, newcomer, alice):
    services.require(alice)
    with pytest.raises(NotAllowed):
        services.require(newcomer)

    publish()

    with pytest.raises(NotAllowed):
        services.require(alice)


def test_agreeing_twice_is_once_and_only_to_the_version_in_force(app, newcomer):
    with transaction():
        services.agree(newcomer, 1, MONDAY)
        services.agree(newcomer, 1, MONDAY)
    assert count(Agreement) == 1

    publish()

    with pytest.raises(Conflict), transaction():
        services.agree(newcomer, 1, MONDAY)


def test_the_terms_are_open_to_everybody_and_begin_with_five_points(app):
    client = app.test_client()

    for headers, points in (
        ({}, "はじめに知っておいてほしいこと"),
        ({"Accept-Language": "en"}, "<ol>"),
    ):
        page = client.get("/terms", headers=headers).get_data(as_text=True)
        start = page.index(points)
        assert page.index("<li>", start) < page.index('id="h-full"')
        assert page[: page.index('id="h-full"')].count("<li>") >= 5
        assert page.count("<h1") == 1


def test_old_versions_stay_and_say_that_they_are_old(app):
    publish()
    client = app.test_client()

    assert "以前の版" in client.get("/terms/1").get_data(as_text=True)
    assert "以前の版" not in client.get("/terms/2").get_data(as_text=True)
    assert client.get("/terms/3").status_code == 404


def test_markup_in_a_text_is_shown_and_does_nothing(app):
    publish(
        '\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) <b onclick="">x</b>'
    )

    page = app.test_client().get("/terms").get_data(as_text=True)

    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    assert "<b onclick" not in page


def test_the_points_are_the_first_list():
    text = "# T\n\n## 要点\n\n- a\n- b\n\n## 第1条\n\n- c\n\nend"

    assert rules.points(text) == ["a", "b"]
    assert rules.after_points(text) == "## 第1条\n\n- c\n\nend"
    assert rules.points("no list") == []
    assert rules.after_points("# T\nno list") == "no list"


def test_what_changed_is_told_in_reading_order():
    changes = rules.changes("a\n\nb\nc", "a\n\nB\nc\nd")

    assert [(c.came, c.text) for c in changes] == [
        (False, "b"),
        (True, "B"),
        (True, "d"),
    ]
