"""A real browser with a device of its own: it adds a passkey and comes in by it."""

import pytest
from flask import current_app
from playwright.sync_api import expect

from tests.browser import chromium, judging
from tests.factories import PASSWORD, make_account
from tradeboard.accounts import passwords

pytestmark = pytest.mark.browser

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def named(board, monkeypatch):
    """Let the board be reached by a name, which passkeys need."""
    url = board.replace("127.0.0.1", "localhost")
    monkeypatch.setitem(current_app.config, "PUBLIC_URL", url)
    return url


def give_device(page):
    """Give the browser a device that answers by itself; return how it is told."""
    told = page.context.new_cdp_session(page)
    told.send("WebAuthn.enable")
    made = told.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    return told, {"authenticatorId": made["authenticatorId"]}


def test_one_adds_a_passkey_and_comes_in_without_a_password(named, browser, complaints):
    make_account("dora", password_hash=passwords.hash_password(PASSWORD))
    faults = []
    with chromium.person(browser, named, complaints) as page:
        told, device = give_device(page)
        page.goto("/login?next=/me/security")
        page.locator("main [name=email]").fill("dora")
        page.locator("main [name=password]").fill(PASSWORD)
        page.locator("main button.main").click()
        page.wait_for_url("**/me/security")
        faults += judging.faults_here(page)
        adding = page.locator("form[data-passkey=create]")
        adding.locator("[name=name]").fill("机の上の電話")
        adding.get_by_role("button").click()
        expect(page.locator("main")).to_contain_text("机の上の電話")
        (kept,) = told.send("WebAuthn.getCredentials", device)["credentials"]
        assert kept["isResidentCredential"]
        assert kept["rpId"] == "localhost"
        faults += judging.faults_here(page)

        page.locator("footer form[action='/logout'] button").click()
        page.goto("/login")
        showing = page.locator("form[data-passkey=get]")
        faults += judging.faults_here(page)
        showing.get_by_role("button").click()
        page.wait_for_url("**/todo")

        page.locator("footer form[action='/logout'] button").click()
        told.send("WebAuthn.setUserVerified", device | {"isUserVerified": False})
        page.goto("/login")
        showing.get_by_role("button").click()
        expect(showing.locator("[data-passkey-failed]")).to_be_visible()
    assert faults == []


def test_without_script_no_passkey_is_offered(named, browser, complaints):
    options = {"java_script_enabled": False}
    with chromium.person(browser, named, complaints, **options) as page:
        page.goto("/login")
        expect(page.locator("form[data-passkey]")).to_be_hidden()
        expect(page.locator("main [name=password]")).to_be_visible()
