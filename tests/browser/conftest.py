"""A real server and a real browser; a missing Chromium is said, or fails under CI."""

import os
import threading

import pytest
from flask import current_app
from waitress import create_server

from tests.browser import chromium
from tests.conftest import start_empty
from tests.factories import make_session


@pytest.fixture(scope="session")
def browser():
    """Start one Chromium for all browser tests of this process."""
    from playwright.sync_api import sync_playwright

    path = chromium.find()
    if path is None:
        reason = "no Chromium found: browser tests are left out"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
        yield started
        started.close()


@pytest.fixture
def board(apps):
    """Serve the board on an empty database; return its address."""
    app = apps("sqlite")
    with app.app_context():
        start_empty(app)
    server = create_server(app, host="127.0.0.1", port=0, threads=8)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.effective_port}"
    before = app.config["PUBLIC_URL"]
    app.config["PUBLIC_URL"] = url
    with app.app_context():
        yield url
    app.config["PUBLIC_URL"] = before
    server.close()
    thread.join(timeout=5)


@pytest.fixture
def complaints():
    """Fail the test if a browser complained of anything."""
    heard = chromium.Complaints()
    yield heard
    assert heard == []


@pytest.fixture
def open_browser(browser, board, complaints):
    """Return how to give somebody a browser of the own."""
    opened = []

    def open_browser(**options):
        context = chromium.person(browser, board, complaints, **options)
        page = context.__enter__()
        opened.append(context)
        return page

    yield open_browser
    for context in reversed(opened):
        context.__exit__(None, None, None)


@pytest.fixture
def sign_in(board):
    """Return how to sign a browser in: the value of its session cookie."""
    signer = current_app.session_interface.get_signing_serializer(current_app)

    def sign_in(page, account):
        page.context.add_cookies(
            [
                {
                    "name": current_app.config["SESSION_COOKIE_NAME"],
                    "value": signer.dumps({"_user_id": make_session(account)}),
                    "url": board,
                }
            ]
        )

    return sign_in
