"""Help pages over HTTP."""

import pytest

from tests.page_forms import get

SLUGS = ["clock", "conditions", "contact", "list", "privacy", "rules", "safe-trading"]


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
