"""Long tests: `python -m tests.soak [part] [--quick] [--minutes N]`."""

import argparse
import logging
import sys
import time
import traceback

import structlog

from tests.soaks import (
    api_fuzz,
    browser,
    chain,
    harvest,
    histories,
    http_races,
    kept,
    kills,
    lists,
    lives,
    look_ups,
    mirror,
    photos,
    points,
    released,
    restores,
    schedulers,
    security,
    sweeps,
    traffic,
    wires,
)
from tests.soaks.hosts import soak as hosts

PARTS = {
    "api": api_fuzz.main,
    "backups": restores.main,
    "browser": browser.main,
    "chain": chain.main,
    "harvest": harvest.main,
    "histories": histories.main,
    "hosts": hosts.main,
    "kept": kept.main,
    "kills": kills.main,
    "lists": lists.main,
    "lives": lives.main,
    "look-ups": look_ups.main,
    "migrations": released.main,
    "mirror": mirror.main,
    "photos": photos.main,
    "points": points.main,
    "races": http_races.main,
    "schedulers": schedulers.main,
    "security": security.main,
    "sweeps": sweeps.main,
    "traffic": traffic.main,
    "wires": wires.main,
}


def main(arguments: list[str]) -> int:
    """Run one part, or all; the code is 1 if a guarantee was broken."""
    parser = argparse.ArgumentParser(prog="run.py soak", description=__doc__)
    parser.add_argument("part", nargs="?", choices=sorted(PARTS))
    parser.add_argument("--quick", action="store_true", help="each part once, small")
    parser.add_argument("--minutes", type=float, default=30.0, help="for all parts")
    wanted = parser.parse_args(arguments)
    _be_quiet()
    parts = [wanted.part] if wanted.part else sorted(PARTS)
    share = wanted.minutes / len(parts)
    violations = sum(_run(part, quick=wanted.quick, minutes=share) for part in parts)
    return 1 if violations else 0


def _be_quiet() -> None:
    """Log nothing: requests and faults are made here by the thousand."""
    structlog.configure(
        processors=[structlog.stdlib.render_to_log_kwargs],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
        cache_logger_on_first_use=False,
    )
    logging.disable(logging.ERROR)


def _run(part: str, *, quick: bool, minutes: float) -> int:
    """Run a part, and say how it ended; one that breaks off has proved nothing."""
    began = time.monotonic()
    try:
        violations, end = PARTS[part](quick=quick, minutes=minutes), "ended"
    except Exception:
        traceback.print_exc()
        violations, end = 1, "broke off"
    seconds = time.monotonic() - began
    print(f"{part}: {end}, {violations} violations, {seconds:.0f} s", flush=True)
    return violations


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
