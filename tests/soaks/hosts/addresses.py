"""M2: a client is known by its address behind one proxy and two, whatever it claims."""

import random
import time

from tests import sizes
from tests.soaks import guarantees
from tests.soaks.hosts.browsing import Browser
from tests.soaks.hosts.parts import Proxy
from tests.soaks.hosts.world import World

LOOK_UP = "/api/v1/blacklist/check?handle=nobody"
ALLOWED = 300
FORGED = (
    "X-Forwarded-For",
    "X-Real-IP",
    "Forwarded",
    "Client-IP",
    "True-Client-IP",
    "CF-Connecting-IP",
    "X_Forwarded_For",
)


def run(world: World, *, quick: bool) -> dict:
    """Use a client's look-ups up with made-up headers; the other client has its own."""
    began = time.monotonic()
    dice = random.Random(seed := guarantees.seed())
    wrong = {"bypassed": 0, "mixed_up": 0, "misled": 0}
    for hops in (1, 2):
        world.serve("web1", "web2", TRUSTED_PROXY_HOPS=str(hops))
        proxy = _proxies(world, hops)
        _let_counts_go(world)
        wrong["bypassed"] += _use_up(world, proxy, dice)
        other = Browser(world.clients[1], proxy)
        wrong["mixed_up"] += other.get(LOOK_UP).status_code != 200
        wrong["misled"] += _misled(world, proxy)
    return guarantees.report(
        **world.line_of("M2"),
        size=sizes.name(quick=quick),
        n=2,
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=seed,
        **wrong,
    )


def _proxies(world: World, hops: int) -> str:
    mark = "p" if world.pooled else ""
    webs = [world.network.host(name) for name in ("web1", "web2")]
    inner = Proxy(world.network, f"in{hops}{mark}", *webs, inner=hops == 2)
    if hops == 1:
        return inner.url
    return Proxy(world.network, f"out{mark}", inner.host).url


def _let_counts_go(world: World) -> None:
    with world.database.connect() as connection:
        connection.execute("DELETE FROM throttle_bucket")


def _use_up(world: World, proxy: str, dice: random.Random) -> int:
    """Return how many look-ups too many or too few were answered."""
    browser = Browser(world.clients[0], proxy)
    answered = 0
    for _ in range(ALLOWED + 20):
        address = ".".join(str(dice.randrange(1, 255)) for _ in range(4))
        forged = {name: address for name in dice.sample(FORGED, 2)}
        if "Forwarded" in forged:
            forged["Forwarded"] = f"for={address};host=evil.example"
        status = browser.get(LOOK_UP, **forged).status_code
        assert status in (200, 429), status
        answered += status == 200
    return abs(answered - ALLOWED)


def _misled(world: World, proxy: str) -> int:
    """Count the answers in which a made-up host shows."""
    browser = Browser(world.clients[1], proxy)
    forged = {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"}
    answers = [browser.get(path, **forged) for path in ("/", "/login", "/me")]
    return sum(
        "evil.example" in answer.text + str(answer.headers) for answer in answers
    )
