"""What each guarantee's test leaves behind: one JSON line."""

import json
import os
import random
from pathlib import Path

FILE = Path(__file__).parents[2] / "build" / "guarantees.jsonl"


def seed() -> int:
    """Return the seed of this run: the one given, or a new one."""
    given = os.environ.get("TRADEBOARD_TEST_SEED")
    return int(given) if given else random.SystemRandom().randrange(2**32)


def report(**line) -> dict:
    """Print one line and append it to the file of guarantees."""
    text = json.dumps(line, ensure_ascii=False)
    print(text, flush=True)
    FILE.parent.mkdir(exist_ok=True)
    with FILE.open("a", encoding="utf-8") as file:
        file.write(text + "\n")
    return line
