"""The locks in `requirements/`: compile them, look for known holes in them."""

import re

from frontdoor.ground import (
    ROOT,
    Trouble,
    capture,
    keep,
    last_line,
    run,
    say,
    venv_python,
)
from frontdoor.ranges import HOSTS

COMPILE = (
    "--quiet",
    "--universal",
    "--generate-hashes",
    "--python-version=3.11",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--custom-compile-command=python3 run.py lock",
    "setup.cfg",
    "requirements/build.in",
)
CLEAN = "No known vulnerabilities found"
HOLES = re.compile(r"Found \d+ known vulnerabilit")
FOR_TESTS = ("--extra=dev", "--constraints=requirements/app.txt")
FOR_HOSTS = tuple(f"--extra={name}" for name in HOSTS)
AS_TESTED = "--constraints=requirements/dev.txt"


def compile_locks(arguments: list[str]) -> int:
    """Compile the locks: of the board, of the tests around it, of several hosts."""
    uv = (venv_python(), "-m", "uv", "pip", "compile", *COMPILE, *arguments)
    code = run(*uv, "-o", "requirements/app.txt")
    code = code or run(*uv, *FOR_TESTS, "-o", "requirements/dev.txt")
    return code or run(*uv, *FOR_HOSTS, AS_TESTED, "-o", "requirements/hosts.txt")


def audit() -> int:
    """Ask the advisory service for each locked package; not to know is to fail."""
    lock = ROOT / "requirements/dev.txt"
    options = ("--strict", "--disable-pip", "--progress-spinner=off")
    done = capture(
        venv_python(), "-m", "pip_audit", *options, "--require-hashes", "-r", str(lock)
    )
    if done.returncode == 0 and CLEAN in done.stdout:
        say(CLEAN + ".")
        return 0
    if HOLES.search(done.stdout):
        say(done.stdout.strip())
        return 1
    log = keep("audit.log", done.stdout)
    reason = last_line(done.stdout)
    raise Trouble(f"The audit could not check every package: {reason} (See {log}.)")
