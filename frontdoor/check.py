"""All that a change must pass, step by step, with a table of results at the end."""

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from frontdoor import demo, install, package
from frontdoor.ground import ROOT, Trouble, capture, say, venv_python

CONTRACTS = (
    "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
)
# Three workers, each with whole files: what one file sets up stays together. The order
# is that of tests/conftest.py, which knows the long ones.
SHARED_OUT = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
TESTS = ("-m", "pytest", *SHARED_OUT)
# Whoever waits sees each page on one database, and of what takes long a part that the
# seed of the run draws; the check sees all of it on both.
IN_TURN = (*SHARED_OUT, "--alternate")


class Failed(Exception):
    """A step has not passed; the text is what it printed."""


def run_steps(names: list[str]) -> int:
    """Do every step, or the named ones, even after one that failed."""
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        raise Trouble(f"No such step: {unknown[0]}. There are: {', '.join(STEPS)}.")
    install.ensure("dev")
    results = [_run_step(name) for name in STEPS if not names or name in names]
    say("\nResults")
    closing = [words for _, _, words in results if words]
    for line, _, _ in results:
        say(line)
    failed = [name for _, name, _ in results if name]
    say(f"Failed: {', '.join(failed)}" if failed else "Every step passed.")
    for words in closing:
        say(words)
    return 1 if failed else 0


def _run_step(name: str) -> tuple[str, str, str]:
    """Do one step: its line in the table, its name if it failed, closing words."""
    say(f"\n== {name}")
    began = time.monotonic()
    failed, words = "", ""
    try:
        words = STEPS[name]() or ""
    except Failed as failure:
        failed, words = name, failure.args[1] if len(failure.args) > 1 else ""
        say(str(failure.args[0]).strip())
    except (Trouble, OSError) as failure:
        failed = name
        say(str(failure))
    spent = time.monotonic() - began
    line = f"  {name:<13}{'FAILED' if failed else 'passed'}{spent:8.1f} s"
    say(line)
    return line, failed, words


def _tool(*arguments: str) -> Callable[[], None]:
    """Make a step of a program of `.venv`; it speaks only if it fails."""

    def step() -> None:
        done = capture(venv_python(), *arguments)
        if done.returncode:
            raise Failed(done.stdout)

    return step


def check_translations() -> None:
    """Compile the catalogues, and see that each says all that people read."""
    demo.compile_texts()
    _tool("-m", "pytest", "-q", "-p", "no:randomly", "tests/test_translations.py")()


def check_migrations() -> None:
    """Build an empty database by migrations, and compare it with the models."""
    with tempfile.TemporaryDirectory() as folder:
        settings = package.settings(Path(folder))
        for command in (["keys", "init"], ["db", "upgrade"], ["db", "check"]):
            done = capture(venv_python(), *demo.FLASK, *command, **settings)
            if done.returncode:
                raise Failed(done.stdout)


def check_package() -> None:
    """Build sdist and wheel, and let an installed copy migrate and serve a page."""
    with tempfile.TemporaryDirectory() as folder:
        package.check(Path(folder))


def run_tests() -> str:
    """Run every test, seen as it goes; pytest's own last line."""
    command = [venv_python(), *TESTS]
    last = ""
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as running:
        for line in running.stdout or ():
            print(line, end="", flush=True)
            last = line.strip() or last
    if running.returncode:
        raise Failed(f"pytest ended with code {running.returncode}.", last)
    return last


STEPS: dict[str, Callable[[], str | None]] = {
    "lint": _tool("-m", "ruff", "check"),
    "format": _tool("-m", "ruff", "format", "--check"),
    "contracts": _tool("-c", CONTRACTS),
    "types": _tool("-m", "mypy"),
    "lock": _tool("-m", "frontdoor.freshness"),
    "translations": check_translations,
    "migrations": check_migrations,
    "package": check_package,
    "tests": run_tests,
}
