"""A checkout with nothing in it but the front door, and stand-ins around it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
CFG = "[options]\ninstall_requires =\n    wanted>=2\n[options.extras_require]\ndev =\n"
LOCK = "wanted==2.1 \\\n    --hash=sha256:00\nsetuptools==80 \\\n    --hash=sha256:00\n"

# These stand in for programs of other people: a pip, Flask's commands, a web server.
PIP = """\
import os, sys
if "--version" not in sys.argv:
    with open("pip.calls", "a") as calls:
        print(*sys.argv[1:], file=calls)
    if "--require-hashes" in sys.argv and os.environ.get("PIP_SAYS"):
        sys.exit(os.environ["PIP_SAYS"])
"""
FLASK = """\
import os, sys, time
if os.environ.get("FLASK_SAYS"):
    sys.exit(os.environ["FLASK_SAYS"])
if sys.argv[-1] == "scheduler":
    with open("scheduler.starts", "a+") as starts:
        print("started", file=starts, flush=True)
        starts.seek(0)
        if len(starts.readlines()) == 1:
            sys.exit(70)
    time.sleep(60)
"""
WAITRESS = """\
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
host, port = sys.argv[1].removeprefix("--listen=").split(":")
HTTPServer((host, int(port)), Page).serve_forever()
"""


class House:
    """A checkout with nothing in it but the front door."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.fakes = folder / "fakes"

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, str(self.folder / "run.py"), *arguments]

    def environment(self, settings: dict[str, str]) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if "TRADEBOARD" not in k}
        # No index: should a real pip ever be reached, it has nobody to ask.
        kept.update(PYTHONPATH=str(self.fakes), PIP_NO_INDEX="1")
        return {**kept, **settings}

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            env=self.environment(settings),
            capture_output=True,
            text=True,
            timeout=30,
        )

    def refusal(self, *arguments: str, **settings: str) -> str:
        """Run it, expect exit code 2 and one line, and return that line."""
        done = self.run(*arguments, **settings)
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        (line,) = done.stderr.splitlines()
        return line

    def pip_calls(self) -> list[str]:
        calls = self.folder / "pip.calls"
        return calls.read_text().splitlines() if calls.exists() else []


def make(folder: Path) -> House:
    """Copy the front door into a folder, with settings and stand-ins."""
    house = House(folder)
    shutil.copy(ROOT / "run.py", folder)
    shutil.copytree(ROOT / "frontdoor", folder / "frontdoor")
    house.write("setup.cfg", CFG)
    house.write("pyproject.toml", "")
    house.write("requirements/build.in", "setuptools>=77\n")
    house.write("requirements/app.txt", LOCK)
    house.write("requirements/dev.txt", LOCK)
    house.write("requirements/hosts.txt", LOCK)
    house.write("fakes/ensurepip.py", "raise ImportError")
    house.write("fakes/pip/__init__.py", "")
    house.write("fakes/pip/__main__.py", PIP)
    house.write("fakes/flask/__main__.py", FLASK)
    house.write("fakes/waitress/__main__.py", WAITRESS)
    return house
