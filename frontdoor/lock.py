"""The locks in `requirements/`: compile them, look for known holes in them."""

from frontdoor.ground import ROOT, capture, run, say, venv_python

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
FOR_TESTS = ("--extra=dev", "--constraints=requirements/app.txt")


def compile_locks(arguments: list[str]) -> int:
    """Compile both locks, that of the tests around that of the board."""
    uv = (venv_python(), "-m", "uv", "pip", "compile", *COMPILE, *arguments)
    code = run(*uv, "-o", "requirements/app.txt")
    return code or run(*uv, *FOR_TESTS, "-o", "requirements/dev.txt")


def audit() -> int:
    """Ask the advisory service for each locked package; not to know is to fail."""
    lock = ROOT / "requirements/dev.txt"
    options = ("--strict", "--disable-pip", "--progress-spinner=off")
    done = capture(
        venv_python(), "-m", "pip_audit", *options, "--require-hashes", "-r", str(lock)
    )
    say(done.stdout.strip())
    if done.returncode == 0 and "No known vulnerabilities found" in done.stdout:
        return 0
    if "known vulnerabilit" not in done.stdout.replace("No known", ""):
        say("The audit could not check every package, so it has failed.")
    return done.returncode or 1
