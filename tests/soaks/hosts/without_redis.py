"""M11: Redis is away: throttling falls back to the table, and is never open."""

import signal
import time

from tests import sizes
from tests.soaks import guarantees
from tests.soaks.hosts import parts
from tests.soaks.hosts.addresses import ALLOWED, LOOK_UP
from tests.soaks.hosts.browsing import Browser
from tests.soaks.hosts.network import wait_for
from tests.soaks.hosts.world import World

SLOW_S = 15.0


def run(world: World, *, quick: bool) -> dict:
    """Count in Redis on both hosts, then kill it, then cut it off."""
    began = time.monotonic()
    running = parts.redis(world.network)
    address = world.network.host("redis").address
    world.serve("web1", "web2", THROTTLE_URL=f"redis://{address}:6379/0")
    with_it, _ = _use_up(world, world.clients[0])
    rows = _rows(world)
    running.end(signal.SIGKILL)
    killed, slowest = _use_up(world, world.clients[0])
    fell_back = _rows(world) - rows
    running = parts.redis(world.network)
    wait_for("counting in Redis", lambda: _counts_in_redis(world), patience=90)
    world.network.host("redis").cut()
    cut_off, slow = _use_up(world, world.clients[1])
    world.network.host("redis").mend()
    running.end()
    wrong = {
        "too_many": sum(max(0, answered - ALLOWED) for answered in (with_it, cut_off)),
        # What Redis had counted is gone with it; the table begins anew, once.
        "too_many_without": max(0, killed - ALLOWED),
        "not_shared": abs(with_it - ALLOWED),
        "uncounted": int(fell_back == 0) + int(rows > 0),
        "faults": sum(answered < 0 for answered in (with_it, killed, cut_off)),
        "slow": int(max(slowest, slow) > SLOW_S),
    }
    return guarantees.report(
        **world.line_of("M11"),
        size=sizes.name(quick=quick),
        n=3,
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        slowest_s=round(max(slowest, slow), 1),
        **wrong,
    )


def _use_up(world: World, client: str) -> tuple[int, float]:
    """Ask both hosts in turn until refused; return how often and how slowly."""
    browser = Browser(client, world.url("web1"))
    answered, slowest = 0, 0.0
    for number in range(ALLOWED + 20):
        browser.at(world.url(("web1", "web2")[number % 2]))
        began = time.monotonic()
        status = browser.get(LOOK_UP).status_code
        slowest = max(slowest, time.monotonic() - began)
        if status not in (200, 429):
            return -1, slowest
        answered += status == 200
    return answered, slowest


def _rows(world: World) -> int:
    with world.database.connect() as connection:
        row = connection.execute("SELECT count(*) FROM throttle_bucket").fetchone()
    return row[0] if row else 0


def _counts_in_redis(world: World) -> bool:
    """Tell whether another count is added anywhere but in the table."""
    before = _sum(world)
    for name in ("web1", "web2"):
        Browser(world.clients[1], world.url(name)).get(LOOK_UP)
    return _sum(world) == before


def _sum(world: World) -> int:
    with world.database.connect() as connection:
        asked = "SELECT coalesce(sum(count), 0)::int FROM throttle_bucket"
        row = connection.execute(asked).fetchone()
    return row[0] if row else 0
