"""What every verb stands on: the folders, one clear line, one command."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BUILD = ROOT / "build"

# Commands import much; without bytecode each of them would compile it anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


class Trouble(Exception):
    """Something that the person at the keyboard can mend: one line, exit code 2."""


def say(line: str) -> None:
    """Tell the person at the keyboard, at once."""
    print(line, flush=True)


def python_in(venv: Path) -> str:
    """Name the Python of a virtual environment."""
    windows = os.name == "nt"
    return str(venv / ("Scripts/python.exe" if windows else "bin/python"))


def venv_python() -> str:
    """Name the Python that the board runs on."""
    return python_in(VENV)


def run(*command: str, **environment: str) -> int:
    """Run a command that the person sees; its exit code."""
    return subprocess.call(command, cwd=ROOT, env={**os.environ, **environment})


def capture(
    *command: str, cwd: Path = ROOT, held: Sequence[int] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command unseen; all that it printed is in `stdout`.

    It keeps the `held` files open, and thereby locked should we be killed before it.
    """
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **environment},
        pass_fds=held,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )


def works(*command: str) -> bool:
    """Ask whether a command can be run at all."""
    try:
        return capture(*command).returncode == 0
    except OSError:
        return False


def keep(name: str, output: str) -> str:
    """Keep a long output in `build/`; where it is, for the one line that names it."""
    BUILD.mkdir(exist_ok=True)
    (BUILD / name).write_text(output, encoding="utf-8")
    return f"build/{name}"


def last_line(output: str) -> str:
    """Pick the line that says what went wrong, which tools print last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it printed nothing"
