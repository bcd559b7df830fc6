"""Secrets that are known, where each was found, and a walk through every page."""

import html
import re
from collections import Counter, deque
from dataclasses import dataclass
from itertools import product
from urllib.parse import parse_qsl, urlsplit

from werkzeug.exceptions import HTTPException
from werkzeug.routing import IntegerConverter

LINK = re.compile(r'(?:href|src)="(/[^"#]*)')
SEPARATORS = re.compile(r"[-\s().\u2010-\u2015]+")
TAG = re.compile("<[^>]*>")
NOT_PAGES = ("/static/", "/photos/", "/proofs/")


@dataclass(frozen=True)
class Canary:
    """Something that may stand in few places: its name, and how it is spelled.

    Of a telephone number the digits count, whatever stands between them; spoken words
    are common, so that two of them count where they stand side by side.
    """

    name: str
    spelled: tuple[str, ...]

    def is_in(self, text: str, bare: str) -> bool:
        """Tell whether it stands in a text; `bare` is the text without separators."""
        if self.name.startswith("number"):
            return self.spelled[0] in bare
        if len(self.spelled) == 1:
            return self.spelled[0] in text
        if not all(word in text for word in self.spelled):
            return False
        first, second = map(re.escape, self.spelled)
        return re.search(rf"{first}(?:\W|\d|\\n){{0,8}}{second}", text) is not None


class Book:
    """Knows every canary by its name, and which stand in a text."""

    def __init__(self):
        self.canaries: list[Canary] = []

    def add(self, name: str, *spelled: str) -> None:
        """Plant one."""
        self.canaries.append(Canary(name, spelled))

    def add_number(self, name: str, key: str) -> None:
        """Plant a telephone number of Japan, found in E.164 and as it is dialled."""
        self.add(f"number {name}", key.removeprefix("+81"))

    def found(self, text: str) -> set[str]:
        """Return the names of all that stand in a text."""
        bare = SEPARATORS.sub("", text)
        return {one.name for one in self.canaries if one.is_in(text, bare)}


class Walk:
    """One person opens every page that there is, and the links that stand on them.

    Of links that differ in a number or a name alone, a few are enough.
    """

    ALIKE = 2

    def __init__(self, app, client, gaps):
        self.app, self.client, self.gaps = app, client, gaps
        self.adapter = app.url_map.bind("localhost")
        self.opened: set = set()
        self.alike: Counter = Counter()

    def run(self):
        """Open everything once; yield each path with its answer."""
        with self.app.test_request_context():
            waiting = deque(self._addresses())
        pages_first = len(waiting)
        while waiting:
            address = waiting.popleft()
            pages_first -= 1
            if not self._is_new(address, is_link=pages_first < 0):
                continue
            answer = self.client.get(address)
            yield urlsplit(address).path, answer
            waiting += self._links(answer)

    @staticmethod
    def _links(answer):
        """Return where an answer leads, on this board."""
        if answer.location:
            there = urlsplit(answer.location)
            return [there._replace(scheme="", netloc="").geturl()]
        if answer.mimetype != "text/html":
            return []
        return [html.unescape(link) for link in LINK.findall(answer.text)]

    def _is_new(self, address, *, is_link):
        """Tell whether this page adds something to those that were opened."""
        there = urlsplit(address)
        if there.netloc or there.path.startswith(NOT_PAGES):
            return False
        asked = frozenset(name for name, _ in parse_qsl(there.query))
        if (there.path, asked) in self.opened:
            return False
        self.opened.add((there.path, asked))
        kind = self._endpoint(there.path), asked
        self.alike[kind] += 1
        return not is_link or self.alike[kind] <= self.ALIKE

    def _endpoint(self, path):
        try:
            return self.adapter.match(path, "GET")[0]
        except HTTPException:
            return path

    @staticmethod
    def _any(rule, name):
        """Return what fits into a gap that nothing is known for."""
        is_number = isinstance(rule._converters[name], IntegerConverter)
        return [1] if is_number else ["nothing"]

    def _addresses(self):
        for rule in self.app.url_map.iter_rules():
            if "GET" not in rule.methods or rule.endpoint == "static":
                continue
            names = sorted(rule.arguments)
            values = [self.gaps.get(name) or self._any(rule, name) for name in names]
            for chosen in product(*values):
                named = dict(zip(names, chosen, strict=True))
                yield self.adapter.build(rule.endpoint, named, method="GET")


def words_and_source(answer) -> str:
    """Return all that an answer says: head, source, and the words without markup."""
    body = answer.get_data(as_text=True)
    words = TAG.sub(" ", body) if answer.mimetype == "text/html" else ""
    return "\n".join((str(answer.headers), body, words))
