"""Bring `.venv` to what the lock names; quick when nothing has changed."""

import contextlib
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator

from frontdoor import ranges
from frontdoor.ground import ROOT, VENV, Trouble, capture, keep, say, venv_python, works

try:
    import fcntl
except ImportError:  # Windows has none; there two starts at once are not kept apart.
    fcntl = None  # type: ignore[assignment]  # the module or nothing

LOCKS = {"app": ("app",), "dev": ("app", "dev")}
UNFINISHED = VENV / "unfinished"
VERSION = """
import sys
if sys.version_info >= (3, 11):
    print("%d.%d" % sys.version_info[:2])
"""
_held: list[int] = []  # The lock's file, which venv and pip hold as well.
UNREACHABLE = (
    "Failed to establish a new connection",
    "NameResolutionError",
    "NewConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
    "Network is unreachable",
)


def ensure(kind: str) -> None:
    """Install what `app` or `dev` needs, unless its stamp says that it is there."""
    with _alone():
        version = _sound_version()
        if version and _is_stamped(kind, version):
            return
        if version:
            _renew(kind)
        else:
            _make(kind)
        version = _sound_version()
        for name in LOCKS[kind]:
            _stamp(name).write_text(fingerprint(name, version), encoding="utf-8")


def fingerprint(kind: str, version: str) -> str:
    """Sum up all that decides what is installed; a moved folder counts too."""
    digest = hashlib.sha256(f"{version}\n{ROOT}\n".encode())
    files = [f"requirements/{name}.txt" for name in LOCKS[kind]]
    for name in (*files, "setup.cfg", "pyproject.toml"):
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Let one start after the other install.

    The lock ends with its holders: us, and the pip that would outlive us if we are
    killed; so nobody tidies up while that one still writes.
    """
    if fcntl is None:
        yield
        return
    with open(ROOT / "run.py", "rb") as door:
        try:
            fcntl.flock(door, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another run.py is installing; waiting for it.")
            fcntl.flock(door, fcntl.LOCK_EX)
        _held[:] = [door.fileno()]
        yield
        _held.clear()


def _stamp(kind: str):
    return VENV / f"{kind}.stamp"


def _is_stamped(kind: str, version: str) -> bool:
    try:
        return _stamp(kind).read_text(encoding="utf-8") == fingerprint(kind, version)
    except FileNotFoundError:
        return False


def _sound_version() -> str:
    """Name the Python of a sound `.venv`; empty if it is missing, half-made, stale."""
    if UNFINISHED.exists() or not (VENV / "pyvenv.cfg").is_file():
        return ""
    try:
        answer = capture(venv_python(), "-c", VERSION)
    except OSError:
        return ""
    version = answer.stdout.strip() if answer.returncode == 0 else ""
    made_for = (VENV / "pyvenv.cfg").read_text(encoding="utf-8")
    return version if version and f"= {version}." in made_for else ""


def _make(kind: str) -> None:
    """Make `.venv` and fill it; whatever goes wrong leaves no half of it."""
    with_pip = works(sys.executable, "-c", "import ensurepip, venv")
    if not with_pip and not _system_pip():
        raise Trouble(
            "This Python cannot make virtual environments: "
            "apt-get install python3-venv, then start again."
        )
    _clear()
    try:
        say("Making .venv and installing into it; the first time takes a minute.")
        VENV.mkdir()
        UNFINISHED.touch()
        options = [] if with_pip else ["--without-pip"]
        made = capture(sys.executable, "-m", "venv", *options, str(VENV), held=_held)
        if made.returncode:
            raise Trouble(f"Could not make .venv; see {keep('venv.log', made.stdout)}.")
        _fill(kind)
    except BaseException:
        shutil.rmtree(VENV, ignore_errors=True)
        raise
    UNFINISHED.unlink()


def _clear() -> None:
    """Take away a half-made or stale `.venv`, and nothing that is not one."""
    if not os.path.lexists(VENV):
        return
    if VENV.is_symlink() or not VENV.is_dir():
        raise Trouble(
            "Something else is in the place of the folder .venv: move it away."
        )
    ours = UNFINISHED.exists() or (VENV / "pyvenv.cfg").exists()
    if not ours and any(VENV.iterdir()):
        raise Trouble("The folder .venv holds something else: move it away.")
    say("Removing a half-made or outdated .venv.")
    shutil.rmtree(VENV)


def _renew(kind: str) -> None:
    """Follow a changed lock; killed midway, the next start makes all anew."""
    say("Installing what has changed in the lock.")
    UNFINISHED.touch()
    try:
        _fill(kind)
    except Trouble:
        UNFINISHED.unlink()  # pip gave up in good order: the old state still runs.
        raise
    UNFINISHED.unlink()


def _fill(kind: str) -> None:
    """Install the lock by hash, wheels only, then this folder itself."""
    pip = pip_for(venv_python())
    lock = f"requirements/{LOCKS[kind][-1]}.txt"
    wheels = ["--only-binary", ":all:"]
    output = _install(pip, *wheels, "--require-hashes", "-r", lock)
    if _lacks_wheel(output):
        say("The lock has no wheel for this platform: taking the ranges of setup.cfg.")
        output = _install(pip, *wheels, *ranges.wanted(kind))
    if not output:
        output = _install(pip, "--no-deps", "--no-build-isolation", "-e", ".")
    if output:
        raise Trouble(_explain(output))


def _install(pip: list[str], *arguments: str) -> str:
    """Run `pip install`; empty if it worked, else what it printed."""
    command = [*pip, "install", "--no-input", "--progress-bar", "off", *arguments]
    done = capture(*command, held=_held, PIP_DISABLE_PIP_VERSION_CHECK="1")
    return done.stdout or "ERROR: pip printed nothing" if done.returncode else ""


def pip_for(python: str) -> list[str]:
    """Find a pip that installs for this Python: its own, `.venv`'s, the system's."""
    if works(python, "-m", "pip", "--version"):
        return [python, "-m", "pip"]
    if works(venv_python(), "-m", "pip", "--version"):
        return [venv_python(), "-m", "pip", "--python", python]
    pip = _system_pip()
    if not pip:
        raise Trouble(
            "No pip was found: apt-get install python3-pip, then start again."
        )
    return [*pip, "--python", python]


def _system_pip() -> list[str]:
    """Find a pip that can install for another Python (22.3 and newer)."""
    for pip in ([sys.executable, "-m", "pip"], ["pip3"], ["pip"]):
        if works(*pip, "--python", sys.executable, "--version"):
            return pip
    return []


def _is_unreachable(output: str) -> bool:
    return any(sign in output for sign in UNREACHABLE)


def _lacks_wheel(output: str) -> bool:
    return "No matching distribution found" in output and not _is_unreachable(output)


def _explain(output: str) -> str:
    """Say in one line why pip gave up."""
    log = keep("install.log", output)
    if "DO NOT MATCH THE HASHES" in output:
        return f"A package is not the one that the lock names, by its hash; see {log}."
    if _is_unreachable(output):
        return f"The package index cannot be reached: is there a network? See {log}."
    errors = [line for line in output.splitlines() if line.startswith("ERROR:")]
    return f"pip gave up: {errors[0][7:] if errors else 'no reason given'} See {log}."
