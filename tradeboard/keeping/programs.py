"""Programs of others: found, asked for their version, run with a bounded error."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

LONGEST_WORDS = 300
DEBIAN = Path("/usr/lib/postgresql")


class Failed(RuntimeError):
    """A program is missing or did not end well; the text is its last line."""


def find(name: str) -> str:
    """Return a program on PATH, or raise Failed."""
    found = shutil.which(name)
    if found is None:
        raise Failed(f"The program {name} is not on PATH.")
    return found


def find_postgres(name: str, at_least: int) -> str:
    """Return a program of PostgreSQL that is not older than the server.

    The first on PATH that is new enough; else one of Debian's, who keep each version in
    a folder of its own.
    """
    folders = [Path(folder) for folder in os.get_exec_path()]
    folders += sorted(DEBIAN.glob("*/bin"), reverse=True)
    seen = []
    for folder in folders:
        program = folder / name
        if os.access(program, os.X_OK) and program.is_file():
            version = _version(program)
            if version >= at_least:
                return str(program)
            seen.append(str(version))
    have = (
        f"there is only {', '.join(dict.fromkeys(seen))}" if seen else "there is none"
    )
    raise Failed(f"{name} {at_least} or newer is needed on PATH; {have}.")


def run(
    command: Sequence[str],
    environment: dict[str, str] | None = None,
    typed: bytes = b"",
) -> bytes:
    """Run a program to its end; return what it printed, or raise Failed."""
    done = subprocess.run(
        command,
        env={**os.environ, **(environment or {})},
        input=typed,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        last = lines[-1][:LONGEST_WORDS] if lines else f"code {done.returncode}"
        raise Failed(f"{Path(command[0]).name}: {last}")
    return done.stdout


def _version(program: Path) -> int:
    try:
        said = run([str(program), "--version"]).decode(errors="replace")
    except (Failed, OSError):
        return 0
    found = re.search(r"\b(\d+)\.?\d*", said)
    return int(found[1]) if found else 0
