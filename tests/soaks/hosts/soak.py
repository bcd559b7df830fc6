"""Every test that needs several hosts; as root, else left out with the reason."""

import signal
import sys
import time

from tests.soaks.hosts import (
    addresses,
    deploys,
    dropped,
    network,
    sessions,
    two_schedulers,
    without_redis,
    world,
)

DIRECT = (
    sessions.run,
    addresses.run,
    without_redis.run,
    dropped.run,
    two_schedulers.run,
    deploys.run,
)
# M9: the same through PgBouncer; in a quick run the first alone.
POOLED = (sessions.run, addresses.run, two_schedulers.run, dropped.run, deploys.run)
POOLED_QUICK = (sessions.run,)


def main(*, quick: bool, minutes: float) -> int:
    """Try all of them once, and again while there is time; return the violations."""
    if reason := network.reason_against():
        print(f"several hosts: left out, {reason}", flush=True)
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # All that was made goes.
    until = time.monotonic() + 60 * minutes
    violations = 0
    while True:
        for pooled in (False, True):
            tries = (POOLED_QUICK if quick else POOLED) if pooled else DIRECT
            violations += _try(tries, pooled=pooled, quick=quick)
        if quick or time.monotonic() > until:
            return violations


def _try(tries, *, pooled: bool, quick: bool) -> int:
    violations = 0
    with world.network() as (made, database):
        for run in tries:
            with world.board(made, database, pooled=pooled) as board:
                violations += run(board, quick=quick)["violations"]
    return violations
