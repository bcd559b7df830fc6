"""Help pages over HTTP."""

import re

import pytest

from tests.factories import MONDAY
from tests.page_forms import get
from tradeboard.core.transaction import transaction
from tradeboard.pages import rules, texts
from tradeboard.pages.texts import SLUGS
from tradeboard.site import services


@pytest.mark.parametrize("slug", SLUGS)
def test_a_help_page_is_open_to_everybody_in_both_languages(app, slug):
    client = app.test_client()
    client.set_cookie("language", "ja")
    japanese = get(client, f"/help/{slug}")
    client.set_cookie("language", "en")
    english = get(client, f"/help/{slug}")

    for page in (japanese, english):
        assert page.count("<h1") == 1
    assert japanese != english
    assert 'lang="en"' in english


@pytest.mark.parametrize("slug", ["nothing", "..%2Frules", "rules.ja", "RULES"])
def test_an_unknown_page_is_not_found(app, slug):
    assert app.test_client().get(f"/help/{slug}").status_code == 404


def test_the_index_leads_to_every_page(app):
    page = get(app.test_client(), "/help")

    assert all(f'href="/help/{slug}"' in page for slug in SLUGS)


def test_the_worked_example_is_counted_and_drawn(app):
    page = get(app.test_client(), "/help/clock")

    assert [mark.days_left for mark in rules.example()] == [14, 7, 4, 3, 1, 0]
    assert page.count("<circle") == 6
    assert 'datetime="2026-12-15T14:00:00+09:00"' in page
    assert rules.edges()[1] - rules.edges()[0] == rules.A_SECOND


def test_grades_have_pictures_of_known_size(app):
    page = get(app.test_client(), "/help/conditions")

    for grade in "abcd":
        assert f'src="/static/help/grade-{grade}.svg"' in page
    assert page.count('width="320" height="200"') == 4


def test_what_an_admin_writes_stands_in_its_language_alone(app):
    with transaction():
        text = "# 新しいルール\n\n本文です。"
        services.write_help("rules", "ja", text, by_id=1, now=MONDAY)
    client = app.test_client()

    client.set_cookie("language", "ja")
    assert "本文です。" in get(client, "/help/rules")
    client.set_cookie("language", "en")
    assert "本文です。" not in get(client, "/help/rules")


ATTACKS = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "<iframe src='//evil.example'></iframe>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java&#115;cript:alert(1))",
    "[a](&#x6A;avascript:alert(1))",
    "[a](java\tscript:alert(1))",
    "[a](vbscript:x)",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](file:///etc/passwd)",
    "[a](//evil.example/x)",
    "[a](\\\\evil.example)",
    "![a](https://evil.example/x.png)",
    "![a](data:image/svg+xml;base64,PHN2Zz4=)",
    '![a](/static/help/grade-a.svg" onload="x)',
    "<javascript:alert(1)>",
    "[a]: javascript:alert(1)\n\n[a]",
    '[a](https://x.example "onclick=\\"x")',
    "<svg/onload=alert(1)>",
    "<style>*{}</style>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_becomes_more_than_words_and_links(attack):
    [body] = texts.rendered(f"# 題\n\n{attack}").parts

    tags = re.findall(r"<([a-z]+)([^>]*)>", body.lower())
    assert {tag for tag, _ in tags} <= {"p", "a", "img", "em", "code", "pre"}
    for _, attributes in tags:
        named = re.sub(r'"[^"]*"', "", attributes)
        assert not re.search(r"\bon|style", named)
        for address in re.findall(r'(?:href|src)="([^"]*)"', attributes):
            assert address.startswith(("https://x.example", "/static/help/"))


def test_good_links_stay():
    [body] = texts.rendered(
        "# x\n\n[a](/help/list) [b](https://x.example/) [c](mailto:a@x.example)"
    ).parts

    assert body.count("<a href=") == 3
