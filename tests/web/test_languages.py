"""A language more is one line of the configuration and one catalogue."""

from types import SimpleNamespace

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from tests import catalogues, pages
from tests.conftest import Client
from tests.factories import MONDAY, make_account, make_session
from tradeboard.app import create_app
from tradeboard.core import languages
from tradeboard.core.db import db
from tradeboard.notifications import mailer

FRENCH = {"ja": "日本語", "en": "English", "fr": "Français"}


def write_catalogue(folder, language):
    """Write what a translator would: here the English words in guillemets."""
    catalogue = Catalog(locale=language)
    for message in catalogues.read():
        if message.id:
            said = message.string
            marked = (
                tuple(f"«{form}»" for form in said)
                if isinstance(said, tuple)
                else f"«{said}»"
            )
            catalogue.add(message.id, marked)
    path = folder / language / "LC_MESSAGES" / "messages.mo"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        write_mo(file, catalogue)


@pytest.fixture
def french(app, ring, tmp_path):
    """Return the application with a third language, on the same database."""
    write_catalogue(tmp_path, "fr")
    made = create_app(
        TESTING=True,
        SECRET_KEY=app.config["SECRET_KEY"],
        DATABASE_URL=app.config["SQLALCHEMY_DATABASE_URI"],
        KEYRING=ring,
        UPLOADS=app.config["UPLOADS"],
        LANGUAGES=FRENCH,
        TRANSLATIONS=tmp_path,
    )
    made.test_client_class = Client
    yield made
    with made.app_context():
        db.session.remove()
        db.engine.dispose()
    languages.use(app.config["LANGUAGES"], app.config["TRANSLATIONS"])


def test_a_third_language_needs_its_catalogue_and_one_line(app, french):
    dora = make_account("dora", language="fr", time_zone="Europe/Paris")
    token = make_session(dora)
    with french.app_context():
        client = french.test_client()
        with client.session_transaction() as session:
            session["_user_id"] = token
        for url in ("/", "/todo", "/notices", "/me/mails", "/help/rules", "/terms"):
            page = pages.get(client, url)
            assert '<html lang="fr"' in page, url
            assert "«To do»" in page, url
        assert ">Français<" in pages.get(client, "/me/language")
        assert 'value="ja" lang="ja">日本語<' in pages.get(client, "/")

        letter = SimpleNamespace(
            account_id=None,
            language="fr",
            time_zone="Europe/Paris",
            template="trades/mail/answer_due.txt",
            facts={
                "trade": 3,
                "partner": "bob",
                "answer_by": {"instant": MONDAY.isoformat()},
            },
        )
        subject, body = mailer.render(letter)
    assert subject.startswith("«")
    assert "lun. 1 juin 2026, 21:00" in body
    assert "lun. 1 juin, 14:00" in body


def test_a_table_without_the_source_is_refused():
    with pytest.raises(ValueError, match="source"):
        languages.use({"en": "English"})


def test_texts_in_two_languages_are_read_in_english_by_all_others():
    assert [languages.of_two(code) for code in ("ja", "en", "fr")] == ["ja", "en", "en"]
