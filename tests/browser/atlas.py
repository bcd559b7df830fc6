"""Which pages there are: found by following links, as each kind of person.

A crawl of the filled board gives one address for each view that somebody may open. What
no link leads to is named here, and a test compares both with the application's routes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from html.parser import HTMLParser
from urllib.parse import urlsplit

from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

# So many pages of one view are read in search of links; one of them is shown.
READ_OF_ONE_VIEW = 6
READ_AT_ALL = 1500


class Links(HTMLParser):
    """Collects where a page leads, by links and by forms that only ask."""

    def __init__(self, html: str):
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if tag == "a" and "download" not in named:
            self.found.append(named.get("href") or "")
        if tag == "form" and (named.get("method") or "get").lower() == "get":
            self.found.append(named.get("action") or "")


class Atlas:
    """The pages that one person reaches: for each view its addresses, as found."""

    def __init__(self, app, client, starts: Iterable[str], known: Collection[str]):
        self.routes = app.url_map.bind("localhost")
        self.client, self.known = client, known
        self.pages: dict[str, list[str]] = defaultdict(list)
        self.asked: dict[str, int] = defaultdict(int)
        self.seen: set[str] = set()
        self.waiting = list(starts)
        while self.waiting and len(self.seen) < READ_AT_ALL:
            self._read(self.waiting.pop(0))

    def view(self, address: str) -> str | None:
        """Return the endpoint behind an address of ours, or None."""
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or not parts.path.startswith("/"):
            return None
        try:
            endpoint, _ = self.routes.match(parts.path, method="GET")
        except (HTTPException, RequestRedirect):
            return None
        return endpoint

    def _read(self, address: str) -> None:
        address = address.partition("#")[0]
        endpoint = self.view(address)
        if address in self.seen or endpoint in (None, "static"):
            return
        self.seen.add(address)
        most = 1 if endpoint in self.known else READ_OF_ONE_VIEW
        if self.asked[endpoint] >= most:
            return
        self.asked[endpoint] += 1
        answer = self.client.get(address)
        if answer.status_code == 200 and answer.mimetype == "text/html":
            self.pages[endpoint].append(address)
            self.waiting += Links(answer.text).found
        elif answer.status_code in (302, 303):
            self.waiting.append(answer.headers["Location"])
        answer.close()
