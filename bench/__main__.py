"""`python -m bench`: measure what was asked for, print it, and keep it."""

import argparse
import json
import signal
import sys
from collections.abc import Iterator
from typing import Any

from bench import measure, other, writing
from bench.asking import READING
from bench.databases import KINDS, ROOT, open_kind
from bench.measure import Failed, Options, Setting
from bench.serving import NotServed
from bench.world import SIZES
from tradeboard.core import clock

CASES = (*READING, *writing.WRITING, *other.OTHER)
QUICK = Options(rounds=1, seconds=0.4, counted=5)
KEPT = ROOT / "build" / "bench.jsonl"
COLUMNS = (
    ("case", 16),
    ("db", 11),
    ("size", 9),
    ("rps", 9),
    ("p50_ms", 9),
    ("p99_ms", 9),
    ("statements", 11),
    ("limit_rps", 10),
    ("ratio", 7),
)


def main(arguments: list[str]) -> int:
    """Measure; the code is 1 if an answer was an error or a change was lost."""
    asked = _parser().parse_args(arguments)
    # Servers and copies are left behind by nothing that can be cleaned up after.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = QUICK if asked.quick else Options(asked.rounds, asked.seconds)
    sizes = [SIZES[0]] if asked.quick and not asked.size else asked.size or SIZES
    cases = asked.case or list(CASES)
    if not asked.json:
        print(_row({name: name for name, _ in COLUMNS}), flush=True)
    try:
        for size in sizes:
            for kind in asked.db or KINDS:
                for line in measured(kind, size, cases, options):
                    print(json.dumps(line) if asked.json else _row(line), flush=True)
    except (Failed, NotServed) as failure:
        print(failure, file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def measured(
    kind: str, size: int, cases: list[str], options: Options
) -> Iterator[dict[str, Any]]:
    """Measure cases over one world, and keep each line as it comes."""
    with measure.lent(open_kind(kind), size, options) as setting:
        for part in (measure.reading, writing.measured, other.measured):
            for figures in part(setting, cases):
                _keep(setting, figures.line())
                yield figures.line()


def _keep(setting: Setting, line: dict[str, Any]) -> None:
    options = setting.options
    how = {
        "at": clock.now().isoformat(timespec="seconds"),
        "rounds": options.rounds,
        "seconds": options.seconds,
    }
    KEPT.parent.mkdir(exist_ok=True)
    with KEPT.open("a", encoding="utf-8") as kept:
        kept.write(json.dumps({**line, **how}) + "\n")


def _row(line: dict[str, Any]) -> str:
    cells = [_cell(line[name], width) for name, width in COLUMNS]
    return "  ".join(cells).rstrip()


def _cell(value: Any, width: int) -> str:
    if value is None:
        return "-".rjust(width)
    if isinstance(value, float):
        value = f"{value:,.3f}" if value < 10 else f"{value:,.1f}"
    return (
        f"{value:,}".rjust(width) if isinstance(value, int) else str(value).ljust(width)
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="run.py bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="smallest world, one round"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--case", nargs="+", choices=CASES, metavar="NAME")
    parser.add_argument("--db", nargs="+", choices=KINDS)
    parser.add_argument("--size", nargs="+", type=int, choices=SIZES)
    parser.add_argument("--rounds", type=int, default=5, help="medians are taken of")
    parser.add_argument("--seconds", type=float, default=3.0, help="a round lasts")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
