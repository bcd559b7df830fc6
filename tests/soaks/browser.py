"""Every page as each kind of person, in both languages and themes, at three widths."""

import time
from itertools import product

from playwright.sync_api import sync_playwright

from tests import sizes
from tests.browser import chromium, filled, judging
from tests.soaks import guarantees

LANGUAGES, THEMES = ("ja", "en"), ("light", "dark")
# axe judges at the first width; the others are only looked at for what sticks out.
WIDTHS = (390, judging.NARROWEST, 1280)


def main(*, quick: bool, minutes: float) -> int:
    """Look at all of them, while there is time; return how many faults there were."""
    path = chromium.find()
    if path is None:
        print("browser: no Chromium found, nothing was looked at", flush=True)
        return 1
    began = time.monotonic()
    with filled.board() as app, filled.served(app) as url:
        atlases = {who: filled.atlas_of(app, who) for who in filled.HANDLES}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=path, args=chromium.FLAGS
            )
            looked, faults, left_out = 0, [], []
            for who, language, theme in product(filled.HANDLES, LANGUAGES, THEMES):
                if quick and (language, theme) != ("en", "dark"):
                    continue
                if time.monotonic() - began > minutes * 60:
                    left_out.append(f"{who} {language} {theme}")
                    continue
                addresses = [found[0] for found in atlases[who].pages.values()]
                faults += look(browser, app, url, who, language, theme, addresses)
                looked += len(addresses)
            browser.close()
    for fault in faults:
        print("browser: " + fault, flush=True)
    guarantees.report(
        guarantee="browser",
        db="sqlite",
        size=sizes.name(quick=quick),
        n=looked,
        violations=len(faults),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        views=len({view for atlas in atlases.values() for view in atlas.pages}),
        left_out=left_out,
    )
    return len(faults)


def look(browser, app, url, who, language, theme, addresses) -> list[str]:
    """Open the pages as somebody; return what is wrong with them."""
    complaints = chromium.Complaints()
    mark = f"{who} {language} {theme}"
    faults = []
    with chromium.person(browser, url, complaints, color_scheme=theme) as page:
        filled.be(page, app, url, who, language)
        for address in addresses:
            faults += judging.faults(page, address, width=WIDTHS[0])
            faults += [
                fault
                for width in WIDTHS[1:]
                if (fault := judging.sticks_out(page, address, width))
            ]
    return [f"{mark}: {fault}" for fault in [*faults, *complaints]]
