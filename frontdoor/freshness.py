"""Does the lock still answer setup.cfg? Runs in `.venv`, which has `packaging`."""

import re
import sys

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from frontdoor import ranges
from frontdoor.ground import ROOT

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
KINDS = "app", "dev", "hosts"
HOST = re.compile(r"https?://|file://|^--(?!hash)|^-[if]\b", re.MULTILINE)


def locked(text: str) -> dict[str, set[str]]:
    """Read the pins of a lock; a platform may have a version of its own."""
    pins: dict[str, set[str]] = {}
    for name, version in PIN.findall(text):
        pins.setdefault(canonicalize_name(name), set()).add(version)
    return pins


def complaints(kind: str) -> list[str]:
    """Say where a lock lags behind the ranges, or names a place to fetch from."""
    text = (ROOT / f"requirements/{kind}.txt").read_text(encoding="utf-8")
    pins = locked(text)
    found = []
    for wanted in map(Requirement, ranges.wanted(kind)):
        versions = pins.get(canonicalize_name(wanted.name), set())
        if not versions:
            found.append(f"{kind}.txt lacks {wanted.name}")
        elif not all(wanted.specifier.contains(version) for version in versions):
            found.append(f"{kind}.txt has {wanted.name} {versions}, not {wanted}")
    found += [f"{kind}.txt names a host: {line}" for line in HOST.findall(text)]
    return found


def differences() -> list[str]:
    """Say where a lock around that of the board differs from it."""
    app, *others = (
        (kind, locked((ROOT / f"requirements/{kind}.txt").read_text(encoding="utf-8")))
        for kind in KINDS
    )
    return [
        f"{name} differs between app.txt and {kind}.txt"
        for kind, pins in others
        for name, versions in app[1].items()
        if pins.get(name) != versions
    ]


if __name__ == "__main__":
    found = [said for kind in KINDS for said in complaints(kind)]
    found += differences()
    if found:
        sys.exit("\n".join([*found, "Compile the locks: python3 run.py lock"]))
