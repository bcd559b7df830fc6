"""The ranges of setup.cfg: what we want, before the lock says which version."""

import configparser

from frontdoor.ground import ROOT


def wanted(kind: str) -> list[str]:
    """List the requirements of `app` or `dev`, and what builds the package itself."""
    settings = configparser.RawConfigParser()
    settings.read(ROOT / "setup.cfg", encoding="utf-8")
    lines = settings.get("options", "install_requires").splitlines()
    if kind == "dev":
        lines += settings.get("options.extras_require", "dev").splitlines()
    lines += (ROOT / "requirements/build.in").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and line[0] != "#"]
