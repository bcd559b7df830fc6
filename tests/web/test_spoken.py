"""Templates say at once what `_()` would say, in each language, and escape the same."""

import pytest
from flask import render_template_string
from flask_babel import force_locale
from jinja2 import DictLoader
from markupsafe import Markup

from tradeboard.web import spoken

SOURCES = (
    "{{ _('募集') }}",
    "{{ _('%(n)s件・新しい順', n=count) }}",
    "{{ _('%(title)sを出します', title=title) }}",
    "{{ _('%(title)sを出します', title=marked) }}",
    "{{ _('募集') ~ '<' }}",
    "{{ [_('募集'), _('%(n)s件', n=3)] | join(', ') }}",
    "{% set said = _('カードの交換を探す') %}<a title='{{ said }}'>",
    "{% set word = '募集' %}{{ _(word) }}",
    "{{ _('100%%') }}",
)
GIVEN = {"count": 7, "title": "<b>竜", "marked": Markup("<i>竜</i>")}


@pytest.fixture
def request_context(apps):
    """A request, whatever the database is."""
    app = apps("sqlite")
    with app.app_context(), app.test_request_context("/"):
        yield app


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("source", SOURCES)
def test_what_is_compiled_says_the_same(request_context, source, language):
    env = request_context.jinja_env
    plain = env.overlay()
    plain.__class__ = spoken.Environment
    plain.language = language

    with force_locale(language):
        said = render_template_string(source, **GIVEN)
        looked_up = plain.from_string(source).render(**GIVEN)

    assert said == looked_up
    assert "<b>" not in said


def test_each_language_has_its_own_and_mails_are_not_escaped(request_context):
    env = request_context.jinja_env.overlay(loader=DictLoader({"a.txt": SOURCES[2]}))
    env.in_languages = {}
    said = {}
    for language in ("ja", "en", "ja"):
        with force_locale(language):
            said[language] = env.get_template("a.txt").render(**GIVEN)

    assert said["ja"] == "<b>竜を出します"
    assert said["en"] != said["ja"]
    assert "<b>竜" in said["en"]


def test_a_drawing_leads_to_where_the_board_is_mounted(request_context):
    source = "{% from 'macros/icons.html' import icon %}{{ icon('bell') }}"
    for mounted_at in ("", "/cards"):
        overrides = {"SCRIPT_NAME": mounted_at}
        with request_context.test_request_context("/", environ_overrides=overrides):
            said = render_template_string(source)
        assert f'href="{mounted_at}/static/icons.svg' in said
        assert said.startswith('<svg class="i i-bell"')
