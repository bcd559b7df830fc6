"""Does the built package stand alone? Sdist, wheel, an installed copy that serves."""

import os
import secrets
import subprocess
import time
from pathlib import Path

from frontdoor import demo, install
from frontdoor.ground import BUILD, ROOT, Trouble, capture, python_in, venv_python

SDIST = "import sys; from setuptools import build_meta as b; b.build_sdist(sys.argv[1])"
PATHS = "import sysconfig; print(sysconfig.get_path('purelib'))"
FLASK = ("-m", "flask", "--app", "tradeboard.app")
PATIENCE = 30.0


def settings(folder: Path) -> dict[str, str]:
    """Set up a board that keeps everything in one folder and knows no other."""
    return {
        "TRADEBOARD_DEMO": "true",
        "TRADEBOARD_SECRET_KEY": secrets.token_hex(32),
        "TRADEBOARD_DATABASE_URL": f"sqlite:///{folder / 'check.sqlite3'}",
        "TRADEBOARD_KEYRING": str(folder / "keyring.json"),
        "TRADEBOARD_UPLOADS": str(folder / "uploads"),
        "TRADEBOARD_AUDIT_ANCHORS": str(folder / "audit-anchors.jsonl"),
    }


def check(folder: Path) -> None:
    """Build, install elsewhere, migrate, and ask for two pages."""
    python = _install(_build(), folder / "venv")
    port = demo.pick_port("127.0.0.1", None)
    url = demo.local_url("127.0.0.1", port)
    environment = {**settings(folder), "TRADEBOARD_PUBLIC_URL": url}
    for command in (["keys", "init"], ["db", "upgrade"]):
        _must(python, *FLASK, *command, cwd=folder, **environment)
    _must_answer(python, folder, environment, port)


def _build() -> Path:
    """Build the sdist from here and the wheel from the sdist, as a release does."""
    target = BUILD / "wheel"
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("tradeboard-*"):
        old.unlink()
    _must(venv_python(), "-c", SDIST, str(target), cwd=ROOT)
    sdist = str(next(target.glob("*.tar.gz")))
    pip = install.pip_for(venv_python())
    wheel = ("wheel", "--no-deps", "--no-build-isolation", "--no-index")
    _must(*pip, *wheel, "-w", str(target), sdist, cwd=ROOT)
    return next(target.glob("*.whl"))


def _install(wheel: Path, venv: Path) -> str:
    """Install the wheel alone; what it needs is borrowed from `.venv`."""
    _must(venv_python(), "-m", "venv", "--without-pip", str(venv), cwd=ROOT)
    python = python_in(venv)
    pip = install.pip_for(python)
    _must(*pip, "install", "--no-deps", "--no-index", str(wheel), cwd=venv)
    ours = _must(python, "-c", PATHS, cwd=venv).strip()
    borrowed = _must(venv_python(), "-c", PATHS, cwd=venv).strip()
    # A plain line: the .pth files over there, our editable copy's too, stay unread.
    Path(ours, "borrowed.pth").write_text(borrowed + "\n", encoding="utf-8")
    return python


def _must(*command: str, cwd: Path, **environment: str) -> str:
    done = capture(*command, cwd=cwd, **environment)
    if done.returncode:
        raise Trouble(f"{done.stdout}\nfailed: {' '.join(command)}")
    return done.stdout


def _must_answer(
    python: str, folder: Path, settings: dict[str, str], port: int
) -> None:
    """Serve the installed copy and open the board and the health page."""
    listen = f"--listen=127.0.0.1:{port}"
    command = [python, "-m", "waitress", listen, "--call", "tradeboard.app:create_app"]
    with (folder / "serve.log").open("w+", encoding="utf-8") as log:
        server = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            for page in ("/healthz", "/"):
                _wait_for(settings["TRADEBOARD_PUBLIC_URL"] + page, server)
        except Trouble as trouble:
            log.seek(0)
            raise Trouble(f"{log.read()}\n{trouble}") from None
        finally:
            server.terminate()
            server.wait()


def _wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    while not demo.answers(url):
        if server.poll() is not None or time.monotonic() > until:
            raise Trouble(f"The installed copy does not answer {url}.")
        time.sleep(0.1)
