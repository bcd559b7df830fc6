"""M10: packets vanish without a reset: threads are free again within 30 seconds."""

import time
from concurrent.futures import ThreadPoolExecutor

from tests import sizes
from tests.soaks import guarantees
from tests.soaks.hosts.browsing import Browser
from tests.soaks.hosts.network import wait_for
from tests.soaks.hosts.world import World

FREE_WITHIN_S = 30.0
BACK_WITHIN_S = 10.0
THREADS = 4
LOOK_UP = "/api/v1/blacklist/check?handle=nobody"


def run(world: World, *, quick: bool) -> dict:
    """Cut the database off under readers on every thread, and count what is wrong."""
    began = time.monotonic()
    if "web1" not in world.webs:
        world.serve("web1")
    host = world.network.host("pool") if world.pooled else world.database.host
    browsers = [Browser(world.clients[0], world.url("web1")) for _ in range(THREADS)]

    def ask(browser: Browser) -> tuple[int, float, str]:
        asked = time.monotonic()
        answer = browser.get(LOOK_UP)
        said = answer.json().get("status", "") if answer.content else ""
        return answer.status_code, time.monotonic() - asked, said

    with ThreadPoolExecutor(THREADS) as pool:
        before = list(pool.map(ask, browsers))
        host.cut()
        try:
            away = list(pool.map(ask, browsers))
        finally:
            host.mend()
        back_s = wait_for(
            "answers", lambda: ask(browsers[0])[0] == 200, patience=60, every=0.2
        )
        after = list(pool.map(ask, browsers))
    slowest = max(seconds for _, seconds, _ in away)
    wrong = {
        "before": sum(status != 200 for status, _, _ in before),
        "not_unknown": sum(
            (status, said) != (503, "unknown") for status, _, said in away
        ),
        "stuck": sum(seconds > FREE_WITHIN_S for _, seconds, _ in away),
        "after": sum(status != 200 for status, _, _ in after)
        + int(back_s > BACK_WITHIN_S),
    }
    return guarantees.report(
        **world.line_of("M10"),
        size=sizes.name(quick=quick),
        n=THREADS,
        violations=sum(wrong.values()),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        slowest_s=round(slowest, 1),
        back_s=round(back_s, 1),
        **wrong,
    )
