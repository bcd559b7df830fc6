"""Japanese is the source; every other language is complete and says the same."""

import re

import pytest
from babel.messages.plurals import get_plural

from tests import catalogues
from tradeboard import config

GAP = re.compile(r"%\((\w+)\)s")
KEPT = {"日本語", "トレード掲示板"}
# Words that a language may leave to its reader: how many, where it is one.
COUNTED = {"num", "n"}


@pytest.fixture(scope="module", params=catalogues.languages())
def catalogue(request):
    return catalogues.read(catalogues.path_of(request.param))


@pytest.fixture(scope="module")
def texts():
    return catalogues.texts()


def key(text):
    return text[0] if isinstance(text, tuple) else text


def said(message):
    return message.string if isinstance(message.string, tuple) else (message.string,)


def test_the_configuration_names_exactly_the_languages_that_there_are():
    assert set(config.DEFAULTS["LANGUAGES"]) == {"ja", *catalogues.languages()}


def test_every_text_for_people_is_said_in_every_language(catalogue, texts):
    missing = {
        text: texts[text][0]
        for text in texts
        if (message := catalogue.get(key(text))) is None
        or message.fuzzy
        or not all(said(message))
    }

    assert missing == {}


def test_no_text_has_lost_its_source(catalogue, texts):
    known = {key(message.id) for message in catalogue if message.id}

    assert known - {key(text) for text in texts} == set()


def test_counted_texts_have_each_form_of_the_language(catalogue, texts):
    forms = get_plural(str(catalogue.locale)).num_plurals
    assert catalogue.num_plurals == forms
    for text in texts:
        if isinstance(text, tuple):
            assert len(said(catalogue.get(text[0]))) == forms, text


def test_all_languages_have_the_same_gaps(catalogue):
    for message in catalogue:
        wanted = set(GAP.findall(key(message.id)))
        for text in said(message):
            found = set(GAP.findall(text))
            lost = wanted - found - (COUNTED if message.pluralizable else set())
            assert (found - wanted, lost) == (set(), set()), key(message.id)


def test_no_text_of_another_language_is_japanese(catalogue):
    for message in catalogue:
        for text in said(message):
            for word in KEPT:
                text = text.replace(word, "")
            assert not catalogues.JAPANESE.search(text), message.id


def test_sentences_in_a_row_have_a_space_between_them():
    run_on = re.compile(r"""。["'][^{}]*\}\}(?:\{% (?:if|endif)[^%]*%\})*\{\{-? ?_\(""")
    for template in (catalogues.ROOT / "templates").rglob("*.*"):
        found = run_on.search(template.read_text(encoding="utf-8"))

        assert found is None, (template.name, found)


def test_no_template_speaks_without_translation():
    assert catalogues.unmarked_in_templates() == []


def test_scripts_say_only_what_the_page_gives_them():
    for script in (catalogues.ROOT / "tradeboard/static/js").glob("*.js"):
        code = re.sub(r"//.*", "", script.read_text(encoding="utf-8"))
        spoken = catalogues.JAPANESE.search(code)

        assert spoken is None, (script.name, spoken)
