"""Every page there is, once: axe, the narrowest phone, no complaint of the browser."""

import random

import pytest

from tests.browser import chromium, filled, judging
from tests.conftest import new_app
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.demo import people, world
from tradeboard.demo.people import HIIRAGI

pytestmark = pytest.mark.browser

THEMES, LANGUAGES = ("light", "dark"), ("ja", "en")


@pytest.fixture(scope="module")
def app(tmp_path_factory, ring):
    """Return an application on a filled board."""
    folder = tmp_path_factory.mktemp("filled")
    url = f"sqlite:///{folder / 'filled.sqlite3'}"
    app = new_app(folder, ring, url, DEMO=True)
    app.instance_path = str(folder / "instance")
    with app.app_context():
        world.seed(clock.now())
        db.session.remove()
        yield app
        db.session.remove()
        db.engine.dispose()


@pytest.fixture(scope="module")
def atlases(app):
    """Return the pages that each kind of person reaches."""
    return filled.atlases_of(app)


@pytest.fixture(scope="module")
def url(app):
    """Return where the filled board is served."""
    with filled.served(app) as url:
        yield url


@pytest.mark.timeout(600)
def test_every_view_is_reached_by_links_or_is_no_page(app, atlases):
    asked = {
        rule.endpoint for rule in app.url_map.iter_rules() if "GET" in rule.methods
    }
    reached = {view for atlas in atlases.values() for view in atlas.pages}

    assert asked - reached - set(filled.NO_PAGES) == set()
    assert set(filled.NO_PAGES) - asked == set()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("who", filled.HANDLES)
def test_every_page_is_in_order(request, app, atlases, url, browser, complaints, who):
    shown_before = set()
    for other in filled.HANDLES:
        if other == who:
            break
        shown_before |= set(atlases[other].pages)
    addresses = [
        found[0]
        for view, found in atlases[who].pages.items()
        if view not in shown_before
    ]
    if request.config.getoption("--alternate"):
        random.shuffle(addresses)  # By the seed of the run.
        addresses = addresses[::4]

    faults = []
    for theme, language in zip(THEMES, LANGUAGES, strict=True):
        with chromium.person(browser, url, complaints, color_scheme=theme) as page:
            filled.be(page, app, url, who, language)
            for address in addresses[THEMES.index(theme) :: len(THEMES)]:
                faults += judging.faults(page, address)

    assert faults == []


@pytest.mark.timeout(600)
def test_pages_between_two_forms_are_in_order(app, url, browser, complaints):
    faults = []
    with chromium.person(browser, url, complaints) as page:
        for steps in (registering, resetting, second_factor):
            steps(page)
            faults += judging.faults_here(page)
        page.context.clear_cookies()
        filled.be(page, app, url, filled.PARTY, "ja")
        for steps in (reviewing, changing_the_address, reporting):
            steps(page)
            faults += judging.faults_here(page)

    assert faults == []


def registering(page):
    """Register; the page says where the mail went."""
    page.goto("/register")
    page.locator("[name=handle]").fill("はじめて")
    page.locator("[name=email]").fill("hajimete@example.com")
    page.locator("[name=password]").fill("a long password of mine")
    page.locator("main button.main").click()
    page.wait_for_url("**/register/done*")


def resetting(page):
    """Ask for a new password, and follow the link of the mail."""
    page.goto("/reset")
    page.locator("[name=email]").fill("tsubame@example.com")
    page.locator("main button.main").click()
    page.goto("/dev/outbox")
    page.locator("a[href*='/reset/']").first.click()
    page.wait_for_url("**/reset/*")


def second_factor(page):
    """Log in as a moderator, up to the second factor."""
    page.context.clear_cookies()
    page.goto("/login")
    page.locator("main [name=email]").fill(HIIRAGI)
    page.locator("main [name=password]").fill(people.PASSWORD)
    page.locator("main button.main").click()
    page.wait_for_url("**/login/second*")


def reviewing(page):
    """Go from a draft to the page that is read before posting."""
    page.goto("/me/listings")
    page.locator("a[href*='/listings/drafts/']").first.click()
    page.locator("button[name=do][value=review]").click()
    page.wait_for_url("**/review")


def changing_the_address(page):
    """Ask for another address, and follow the link of the mail."""
    page.goto("/me/email")
    page.locator("main [name=email]").fill("minato.new@example.com")
    page.locator("main [name=password]").fill(people.PASSWORD)
    page.locator("main form button.main").first.click()
    page.wait_for_load_state()
    page.goto("/dev/outbox")
    page.locator("a[href*='/change-email/']").first.click()
    page.wait_for_url("**/change-email/*")


def reporting(page):
    """Report somebody; the page thanks."""
    page.goto(f"/report/person/{people.NAKAO}")
    page.locator("main [name=reason]").first.check()
    page.locator("main [name=words]").fill("同じ文を何度も送ってきます。")
    page.locator("main button.main").click()
    page.wait_for_url("**/report/thanks*")


SHIFTS = """() => new Promise(done => {
  const moved = [];
  const place = source => `${source.node?.nodeName}.${source.node?.className}`
    + ` ${JSON.stringify(source.previousRect)}`
    + ` ${JSON.stringify(source.currentRect)}`;
  const seen = list => list.getEntries().forEach(entry => {
    moved.push(entry.value, ...entry.sources.map(place));
  });
  new PerformanceObserver(seen).observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(moved), 300);
})"""


def test_the_board_is_light_and_nothing_moves(app, url, browser, complaints):
    sizes = {}
    with chromium.person(browser, url, complaints) as page:
        filled.be(page, app, url, filled.PARTY, "ja")
        page.on("requestfinished", lambda request: note(sizes, request))

        page.goto("/", wait_until="networkidle")

        moved = page.evaluate(SHIFTS)
        assert moved == [], "\n".join(map(str, moved))
    photos = {path for path in sizes if path.startswith("/photos/")}
    rest = {path: size for path, size in sizes.items() if path not in photos}
    assert photos
    assert len(rest) <= 12, rest
    assert sum(rest.values()) <= 100_000, rest


@pytest.mark.parametrize(("who", "where"), [("party", "/"), ("staff", "/desk")])
def test_nothing_moves_while_a_page_still_comes_in(
    app, browser, url, complaints, who, where
):
    slow = {
        "offline": False,
        "latency": 0,
        "downloadThroughput": 12_000,
        "uploadThroughput": 100_000,
    }
    with chromium.person(browser, url, complaints) as page:
        filled.be(page, app, url, who, "ja")
        page.goto(where)
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        network.send("Network.emulateNetworkConditions", slow)

        page.goto(where, wait_until="domcontentloaded")

        moved = page.evaluate(SHIFTS)
        assert moved == [], "\n".join(map(str, moved))


@pytest.mark.parametrize(("who", "where"), [("party", "/"), ("staff", "/desk")])
def test_no_tab_moves_when_the_last_ones_come_late(
    app, browser, url, complaints, who, where
):
    places = """tabs => tabs.map(tab => {
      const place = tab.getBoundingClientRect();
      return [place.left, place.top];
    })"""
    with chromium.person(browser, url, complaints) as page:
        filled.be(page, app, url, who, "ja")
        page.goto(where)
        whole = page.eval_on_selector_all(".tabs a", places)
        assert len({top for _, top in whole}) == 1

        page.eval_on_selector_all(".tabs a", "tabs => tabs.at(-1).remove()")

        assert page.eval_on_selector_all(".tabs a", places) == whole[:-1]


def note(sizes, request):
    """Keep how many bytes came for a request, its head included."""
    told = request.sizes()
    path = "/" + request.url.split("/", 3)[3]
    sizes[path] = told["responseBodySize"] + told["responseHeadersSize"]
