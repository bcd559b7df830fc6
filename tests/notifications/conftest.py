"""A mail server, and a letter to queue."""

import pytest
from jinja2 import ChoiceLoader, DictLoader

from tests import mailserver
from tests.factories import MONDAY
from tradeboard.core.transaction import transaction
from tradeboard.notifications import services

LETTERS = {
    "test/mail/plain.txt": (
        "{{ handle }} — {{ _('募集') }}\n\n"
        "{{ due | moment }}\n{{ link('/trades/3') }}\n{{ site_name }}\n"
    ),
    "test/mail/broken.txt": "{{ missing }}\n\n",
}


@pytest.fixture
def app(app, monkeypatch):
    """Return the application with letters of the tests."""
    loaders = [DictLoader(LETTERS), app.jinja_env.loader]
    monkeypatch.setattr(app.jinja_env, "loader", ChoiceLoader(loaders))
    # The environments of the languages took over the loader when they were made.
    monkeypatch.setitem(app.jinja_env.__dict__, "in_languages", {})
    return app


@pytest.fixture
def inbox(app, monkeypatch):
    """Return what a mail server received that the application talks to."""
    with mailserver.running() as (inbox, settings):
        for name, value in settings.items():
            monkeypatch.setitem(app.config, name, value)
        yield inbox


@pytest.fixture
def queue(app):
    """Return how to queue a letter."""

    def queue(reader, key="a", template="test/mail/plain.txt", **facts):
        facts = {"handle": reader.handle, "due": MONDAY, **facts}
        with transaction():
            services.queue_mail(reader, template, key=key, now=MONDAY, **facts)

    return queue
