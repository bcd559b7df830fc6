"""What the product is made of: each locked package, its licence and its hashes."""

import re
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from frontdoor.ground import ROOT

PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
# What the locks of the board itself name; the rest is for building and testing alone.
SHIPPED = ("app.txt", "hosts.txt")
TESTING = "dev.txt"

# Only on other systems or older Pythons, so that here is nothing to ask.
ELSEWHERE = {"async-timeout": "Apache-2.0", "colorama": "BSD-3-Clause"}
# Metadata that names no licence of the SPDX list, or two, and what the files say.
READ_BY_HAND = {
    "boolean-py": "BSD-2-Clause",
    "flask-wtf": "BSD-3-Clause",
    "pi-heif": "BSD-3-Clause AND LGPL-3.0-only",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "wtforms": "BSD-3-Clause",
}
NAMES = {
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "Zope Public License": "ZPL-2.1",
}


@dataclass(frozen=True)
class Part:
    """A package as it is locked; `ships` tells it from what only tests need."""

    name: str
    version: str
    licence: str
    hashes: tuple[str, ...]
    ships: bool


@dataclass(frozen=True)
class Vendored:
    """A file of somebody else's that lies in this tree, as `VENDOR.toml` names it."""

    name: str
    version: str
    licence: str
    source: str
    sha256: str


def parts(root: Path = ROOT) -> list[Part]:
    """Read every locked package, by name; one that ships is named once, as shipped."""
    found: dict[str, Part] = {}
    for lock in (TESTING, *SHIPPED):
        for part in _read(root / "requirements" / lock, ships=lock != TESTING):
            found[part.name] = part
    return [found[name] for name in sorted(found)]


def vendored(root: Path = ROOT) -> list[Vendored]:
    """Read what the front end brings along."""
    text = (root / "tradeboard/static/vendor/VENDOR.toml").read_text(encoding="utf-8")
    return [
        Vendored(
            row["name"], row["version"], row["licence"], row["source"], row["sha256"]
        )
        for row in tomllib.loads(text).values()
    ]


def licence_of(name: str) -> str:
    """Return a package's licence as SPDX writes it; a KeyError if it names none."""
    if name in READ_BY_HAND or name in ELSEWHERE:
        return {**READ_BY_HAND, **ELSEWHERE}[name]
    about = metadata.metadata(name)
    if expression := about.get("License-Expression"):
        return expression
    classified = [
        line.rpartition("::")[2].strip()
        for line in about.get_all("Classifier") or []
        if line.startswith("License ::")
    ]
    known = [NAMES[word] for word in classified if word in NAMES]
    if known:
        return known[0]
    stated = (about.get("License") or "").strip()
    if re.fullmatch(r"[A-Za-z0-9.-]+", stated):
        return stated
    raise KeyError(f"{name} names no licence that is known: {classified or stated!r}")


def _read(lock: Path, *, ships: bool) -> list[Part]:
    """Split a lock at its pinned lines."""
    _, *rest = PINNED.split(lock.read_text(encoding="utf-8"))
    pinned = zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    return [
        Part(name, version, licence_of(name), tuple(HASH.findall(below)), ships)
        for name, version, below in pinned
    ]
