"""Ask the API what its document allows and what it does not; compare the answers.

What fits the document is answered, what breaks it is refused, nothing fails on our
side, and every answer has the status, headers and shape that the document promises.
"""

import json
import random
import string
import time
from contextlib import ExitStack
from unittest.mock import patch

from tests import sizes
from tests.api.cases import bearer, describe, make_key, whole, wrong
from tests.soaks import guarantees
from tests.soaks.boards import on_each_database
from tests.soaks.mirror import World
from tradeboard.core.db import db

RATES = (
    "tradeboard.api.auth.RATE",
    "tradeboard.api.auth.REFUSED",
    "tradeboard.blacklist.api.check.RATE",
    "tradeboard.blacklist.api.export.RATE",
)
ODD = " -_%&=+'\"\\/<>\0\n\x7f竜こコｺéßİ\u0301\u202e🎴"
ALPHABET = string.ascii_letters + string.digits + ODD
HEADERS = {
    "Cookie": ["session=x", "language=en; session=" + "y" * 50],
    "Accept-Language": ["en", "ja", "xx", "*;q=9"],
    "Accept": ["application/json", "text/html", ""],
    "Origin": ["https://elsewhere.example", "null"],
    "If-None-Match": ['"x"', "*", 'W/"feed-1"'],
    "X-Forwarded-For": ["127.0.0.1"],
}


def main(*, quick: bool, minutes: float) -> int:
    """Try both databases; return how many violations there were."""
    cases = sizes.size("openapi", quick=quick)
    return on_each_database(lambda app, _: run(app, cases=cases))


def run(app, *, cases: int) -> int:
    """Ask so often; print what was not as it should be, and return how often."""
    began, seed = time.monotonic(), guarantees.seed()
    dice = random.Random(seed)
    world = World(dice, people=5)
    for _ in range(20):
        world.change()
    fuzz = Fuzz(app, dice, make_key("bulk", "feed"), world.names + world.codes)
    with ExitStack() as stack:
        for rate in RATES:
            stack.enter_context(patch(rate, "1000000 per 1 minute"))
        mistakes = [found for _ in range(cases) for found in fuzz.ask()]
    for mistake in mistakes[:20]:
        print(mistake)
    guarantees.report(
        guarantee="openapi",
        db=db.engine.dialect.name,
        size=sizes.name_of("openapi", cases),
        n=cases,
        violations=len(mistakes),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        statuses=dict(sorted(fuzz.statuses.items())),
    )
    return len(mistakes)


class Fuzz:
    """Makes requests out of the document, right ones and wrong ones."""

    def __init__(self, app, dice: random.Random, key: str, known: list[str]):
        self.client = app.test_client()
        self.dice, self.key, self.known = dice, key, known
        self.operations = [
            (path, method)
            for path, operations in whole()["paths"].items()
            for method in operations
        ]
        self.statuses: dict[int, int] = {}

    def ask(self) -> list[str]:
        """Ask once; return what was wrong with the answer."""
        path, method = self.dice.choice(self.operations)
        described = describe(path, method)
        has_parts = "requestBody" in described or any(
            parameter["in"] == "query" for parameter in described.get("parameters", ())
        )
        right = not has_parts or self.dice.random() < 0.6
        request = self._right(described) if right else self._wrong(described)
        with_key = self.dice.random() < 0.9
        headers = dict(self._headers(), **(bearer(self.key) if with_key else {}))
        answer = self.client.open(path, method=method, headers=headers, **request)
        status = answer.status_code
        self.statuses[status] = self.statuses.get(status, 0) + 1
        found = wrong(answer, described)
        needs_key = {} not in described["security"]
        if needs_key and not with_key:
            found += [] if status == 401 else [f"{status} without a key"]
        elif right and status >= 400:
            found.append(f"{status} for what the document allows")
        elif not right and not 400 <= status < 500:
            found.append(f"{status} for what the document does not allow")
        if "Set-Cookie" in answer.headers:
            found.append("sets a cookie")
        return [f"{method} {path} {request}: {one}" for one in found]

    def _headers(self):
        some = self.dice.sample(sorted(HEADERS), self.dice.randint(0, 3))
        return {name: self.dice.choice(HEADERS[name]) for name in some}

    def _right(self, described):
        if "requestBody" in described:
            names, codes = self.dice.randint(0, 60), self.dice.randint(0, 40)
            body = {
                "handles": [self._text() for _ in range(names)],
                "devices": [self._text() for _ in range(codes)],
            }
            kept = [name for name in body if self.dice.random() < 0.8]
            return {"json": {name: body[name] for name in kept}}
        query = {}
        for parameter in described.get("parameters", ()):
            if parameter["in"] != "query":
                continue
            schema = parameter["schema"]
            if schema["type"] == "object":
                name = self.dice.choice(sorted(schema["properties"]))
                query[name] = self._text() or "x"
            elif self.dice.random() < 0.7:
                query[parameter["name"]] = str(self._number(schema))
        return {"query_string": query}

    def _wrong(self, described):
        if "requestBody" in described:
            return self._wrong_body()
        asked = [p for p in described["parameters"] if p["in"] == "query"]
        if asked[0]["schema"]["type"] == "object":
            both = {"handle": self._text() or "x", "device": self._text() or "x"}
            return {"query_string": self.dice.choice([{}, both, {"handle": ""}])}
        names = [parameter["name"] for parameter in asked]
        bad = ["-1", "", "x", "1.5", "１", " 1", "1e3", "0x1", "9" * 30, "null", "\0"]
        return {"query_string": {self.dice.choice(names): self.dice.choice(bad)}}

    def _wrong_body(self):
        text = [self._text()]
        bodies = [
            {"handles": [f"{n}" for n in range(101)]},
            {
                "handles": [f"{n}" for n in range(60)],
                "devices": [f"code {n}" for n in range(41)],
            },
            {"handles": self._text()},
            {"devices": [self.dice.choice([1, None, True, [], {}])]},
            {"handles": text, "names": text},
            {"handles": None},
            text,
            self._text(),
            None,
            17,
        ]
        if self.dice.random() < 0.3:
            data = self.dice.choice([b"", b"{", b"\xff", b"[" * 5000, b'{"handles":'])
            return {"data": data, "content_type": "application/json"}
        if self.dice.random() < 0.2:
            kind = self.dice.choice(["text/plain", "", "application/xml"])
            return {"data": json.dumps({"handles": text}), "content_type": kind}
        return {"json": self.dice.choice(bodies)}

    def _text(self) -> str:
        if self.dice.random() < 0.3:
            return self.dice.choice(self.known)
        length = self.dice.choice([0, 1, 2, 8, 20, 90, 300])
        return "".join(self.dice.choice(ALPHABET) for _ in range(length))

    def _number(self, schema) -> int:
        least, most = schema["minimum"], schema["maximum"]
        near = [least, most, min(most, least + 1), schema["default"]]
        return self.dice.choice([*near, self.dice.randint(least, most)])
