import re
from collections import Counter
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

import tradeboard
from tradeboard.pages.texts import PICTURES, SLUGS

PACKAGE = Path(tradeboard.__file__).parent

FIRST_TERMS = PACKAGE / "terms/texts/1"
TEXTS = [PACKAGE / "pages/texts" / slug for slug in SLUGS] + [FIRST_TERMS]
LINKS = {"/terms", "/blacklist", "/blacklist/mine"} | {f"/help/{s}" for s in SLUGS}

MARKDOWN = MarkdownIt("commonmark").enable("table")

each_text = pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.name)
in_both = pytest.mark.parametrize("language", ["ja", "en"])


def read(text, language):
    return text.with_name(f"{text.name}.{language}.md").read_text("utf-8")


def blocks(source):
    kept = {"heading_open", "list_item_open", "tr_open", "td_open", "paragraph_open"}
    return Counter(t.type + t.tag for t in MARKDOWN.parse(source) if t.type in kept)


@each_text
@in_both
def test_a_text_begins_with_its_only_title(text, language):
    headings = [
        t.tag for t in MARKDOWN.parse(read(text, language)) if t.type == "heading_open"
    ]

    assert read(text, language).startswith("# ")
    assert headings.count("h1") == 1
    assert set(headings) <= {"h1", "h2"}


@each_text
def test_both_languages_say_the_same_things_in_the_same_order(text):
    assert blocks(read(text, "ja")) == blocks(read(text, "en"))


@each_text
@in_both
def test_a_text_needs_no_html_and_shows_no_markup(text, language):
    source = read(text, language)

    assert "<" not in source
    assert "**" not in re.sub("<[^>]+>", "", MARKDOWN.render(source))


@each_text
@in_both
def test_links_lead_to_pages_of_the_board(text, language):
    there = set(re.findall(r"\]\(([^)]*)\)", read(text, language)))
    pictures = {address for address in there if PICTURES.fullmatch(address)}

    assert there - pictures <= LINKS
    for picture in pictures:
        assert (PACKAGE / picture.removeprefix("/")).is_file()


@each_text
@in_both
def test_a_text_states_facts_and_blames_nobody(text, language):
    words = read(text, language).lower().replace("![", "[")

    assert re.findall("詐欺|fraud|[!！]", words) == []


@in_both
def test_the_terms_say_five_points_before_their_articles(language):
    source = read(FIRST_TERMS, language)
    before, *articles = re.split(r"^## (?:第\d+条|Article \d+)", source, flags=re.M)

    assert len(re.findall("^- ", before, flags=re.M)) == 5
    numbers = re.findall(r"^## (?:第|Article )(\d+)", source, flags=re.M)
    assert numbers == [str(n) for n in range(1, len(articles) + 1)]
