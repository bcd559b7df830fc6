"""Japanese is the source, English is complete."""

import re

import pytest

from tests import catalogues

GAP = re.compile(r"%\((\w+)\)s")


@pytest.fixture(scope="module")
def english():
    return catalogues.read()


@pytest.fixture(scope="module")
def texts():
    return catalogues.texts()


def keys(texts):
    return {text[0] if isinstance(text, tuple) else text for text in texts}


def said(message):
    return message.string if isinstance(message.string, tuple) else (message.string,)


def test_every_text_for_people_is_said_in_english(english, texts):
    missing = {
        text: texts[text][0]
        for text in texts
        if (message := english.get(text[0] if isinstance(text, tuple) else text))
        is None
        or message.fuzzy
        or not all(said(message))
    }

    assert missing == {}


def test_no_english_text_has_lost_its_source(english, texts):
    known = {
        message.id[0] if isinstance(message.id, tuple) else message.id
        for message in english
        if message.id
    }

    assert known - keys(texts) == set()


def test_both_languages_have_the_same_gaps(english):
    for message in english:
        source = message.id[0] if isinstance(message.id, tuple) else message.id
        for text in said(message):
            assert set(GAP.findall(text)) <= set(GAP.findall(source)), source


def test_no_english_text_is_japanese(english):
    kept = {"日本語", "トレード掲示板"}
    for message in english:
        for text in said(message):
            for word in kept:
                text = text.replace(word, "")
            assert not catalogues.JAPANESE.search(text), message.id


def test_sentences_in_a_row_have_a_space_between_them():
    run_on = re.compile(r"""。["'][^{}]*\}\}(?:\{% (?:if|endif)[^%]*%\})*\{\{-? ?_\(""")
    for template in (catalogues.ROOT / "templates").rglob("*.*"):
        found = run_on.search(template.read_text(encoding="utf-8"))

        assert found is None, (template.name, found)


def test_no_template_speaks_without_translation():
    assert catalogues.unmarked_in_templates() == []
