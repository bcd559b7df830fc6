"""The ranges of setup.cfg: what we want, before the lock says which version."""

import configparser

from frontdoor.ground import ROOT

HOSTS = ("metrics", "redis", "s3")

# What a lock holds beside what the board needs.
EXTRAS = {"dev": ("dev",), "hosts": HOSTS}


def wanted(kind: str) -> list[str]:
    """List the requirements of a lock, and what builds the package itself."""
    settings = configparser.RawConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = settings.get("options", "install_requires").splitlines()
    for extra in EXTRAS.get(kind, ()):
        some = settings.get("options.extras_require", extra, fallback="")
        lines += some.splitlines()
    lines += (ROOT / "requirements/build.in").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and line[0] != "#"]
