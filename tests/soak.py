"""Long tests: `python -m tests.soak [part] [--quick] [--minutes N]`."""

import argparse
import sys

from tests.soaks import api_fuzz, chain, kills, look_ups, mirror

PARTS = {
    "api": api_fuzz.main,
    "chain": chain.main,
    "kills": kills.main,
    "look-ups": look_ups.main,
    "mirror": mirror.main,
}


def main(arguments: list[str]) -> int:
    """Run one part, or all; the code is 1 if a guarantee was broken."""
    parser = argparse.ArgumentParser(prog="run.py soak", description=__doc__)
    parser.add_argument("part", nargs="?", choices=sorted(PARTS))
    parser.add_argument("--quick", action="store_true", help="each part once, small")
    parser.add_argument("--minutes", type=float, default=30.0, help="for all parts")
    wanted = parser.parse_args(arguments)
    parts = [wanted.part] if wanted.part else sorted(PARTS)
    share = wanted.minutes / len(parts)
    violations = sum(PARTS[part](quick=wanted.quick, minutes=share) for part in parts)
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
