"""Find a Chromium, and drive it so that nothing it says goes unheard."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


def find() -> str | None:
    """Return the path of a Chromium on this machine, or None."""
    named = os.environ.get("TRADEBOARD_CHROMIUM")
    found = [named, *map(shutil.which, NAMES), MAC]
    return next((path for path in found if path and Path(path).exists()), None)


class Complaints(list):
    """What a browser complained of: console messages, refused content, broken pages."""

    def watch(self, page) -> None:
        """Listen to one page."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.append(f"script: {error}"))
        page.on("response", self._response)

    def _console(self, message) -> None:
        expected = "Failed to load resource: the server responded with a status of 4"
        if message.type in {"error", "warning"} and expected not in message.text:
            self.append(f"console: {message.text}")

    def _response(self, response) -> None:
        if response.status >= 500:
            self.append(f"{response.status}: {response.url}")


@contextmanager
def person(browser, base_url, complaints, **options):
    """Open a browser of somebody's own; yield its page."""
    options = {
        "viewport": PHONE,
        "locale": "ja-JP",
        "timezone_id": "Asia/Tokyo",
    } | options
    context = browser.new_context(base_url=base_url, **options)
    context.set_default_timeout(30_000)
    page = context.new_page()
    complaints.watch(page)
    try:
        yield page
    finally:
        context.close()
