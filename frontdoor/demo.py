"""The demo: a board with invented members on this machine alone."""

import http.client
import json
import os
import socket
import sys
import time
import urllib.request

from frontdoor import install, instance, supervise
from frontdoor.ground import ROOT, Trouble, capture, keep, last_line, say, venv_python

FIRST_PORT = 8000
PORTS_TRIED = 50
PATIENCE = 60.0
SHOWN = 3
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
FLASK = ("-m", "flask", "--app", "wsgi")


def show(port: int | None, host: str, reset: bool) -> None:
    """Install, fill and serve the demo until Ctrl-C."""
    instance.allow_demo()
    if host in EVERYWHERE:
        say("Careful: the demo's passwords are known to all who can reach it.")
    port = pick_port(host, port)
    url = os.environ.get("TRADEBOARD_PUBLIC_URL") or local_url(host, port)
    fill(reset, url)
    with instance.in_use(alone=False):
        _serve(host, port, url)


def fill(reset: bool, url: str = "") -> None:
    """Bring settings, keys, tables, texts and invented members to where they belong."""
    instance.allow_demo()
    install.ensure("app")
    instance.prepare()
    say("Preparing the demo.")
    if reset:
        with instance.in_use(alone=True):
            instance.reset()
    for command in (["keys", "init"], ["db", "upgrade"]):
        flask(*command, url=url)
    compile_texts()
    flask("demo", "seed", url=url)


def flask(*command: str, url: str = "") -> None:
    """Run one of the board's own commands, unseen unless it fails."""
    environment = {"TRADEBOARD_PUBLIC_URL": url} if url else {}
    done = capture(venv_python(), *FLASK, *command, **environment)
    if done.returncode:
        name = " ".join(command)
        log = keep("demo-step.log", done.stdout)
        raise Trouble(f"`flask {name}` failed: {last_line(done.stdout)} (See {log}.)")


def compile_texts() -> None:
    """Compile the translations that are newer than what was made of them."""
    folder = ROOT / "tradeboard/translations"
    stale = [po for po in folder.glob("*/LC_MESSAGES/messages.po") if _is_newer(po)]
    if not stale:
        return
    babel = "babel.messages.frontend"
    done = capture(
        venv_python(), "-m", babel, "compile", "-d", str(folder), "-D", "messages"
    )
    if done.returncode:
        raise Trouble(f"The translations do not compile: {last_line(done.stdout)}")


def _is_newer(po) -> bool:
    mo = po.with_suffix(".mo")
    return not mo.exists() or mo.stat().st_mtime < po.stat().st_mtime


def pick_port(host: str, port: int | None) -> int:
    """Take the port that was asked for, or the first free one from 8000 on."""
    if port is not None:
        try:
            _try_port(host, port)
        except OSError as error:
            reason = error.strerror
            raise Trouble(f"Cannot listen on {host} port {port}: {reason}.") from None
        return port
    for candidate in range(FIRST_PORT, FIRST_PORT + PORTS_TRIED):
        try:
            _try_port(host, candidate)
        except OSError as error:
            reason = error.strerror
            continue
        return candidate
    last = FIRST_PORT + PORTS_TRIED - 1
    raise Trouble(f"Cannot listen on {host} ports {FIRST_PORT} to {last}: {reason}.")


def _try_port(host: str, port: int) -> None:
    family, kind, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM
    )[0]
    with socket.socket(family, kind) as trial:
        if os.name != "nt":
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind(address)
        trial.listen(1)


def local_url(host: str, port: int) -> str:
    """Write the address that a browser on this machine opens."""
    host = EVERYWHERE.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _serve(host: str, port: int, url: str) -> None:
    """Run web server and scheduler, and start again the one that dies."""
    environment = {**os.environ, "TRADEBOARD_PUBLIC_URL": url, "PYTHONUNBUFFERED": "1"}
    listen = f"--listen=[{host}]:{port}" if ":" in host else f"--listen={host}:{port}"
    waitress = [venv_python(), "-m", "waitress", listen, "--threads=8", "wsgi:app"]
    scheduler = [venv_python(), *FLASK, "scheduler"]
    welcome = Welcome(local_url(host, port), url)
    with instance.LOG.open("wb") as log:
        children = [
            supervise.Child("web server", waitress, log),
            supervise.Child("scheduler", scheduler, log),
        ]
        supervise.keep_running(children, environment, welcome.watch)
    say("Ended.")


class Welcome:
    """Wait until the board answers, then say once where it is and who may log in."""

    def __init__(self, local: str, url: str):
        self.local, self.url = local, url
        self.until = time.monotonic() + PATIENCE
        self.is_said = False

    def watch(self) -> None:
        """Look whether the board answers; called again and again."""
        if self.is_said:
            return
        if answers(self.local + "/healthz"):
            self.is_said = True
            _greet(self.url)
        elif time.monotonic() > self.until:
            raise Trouble(
                f"The board did not answer at {self.local} in {PATIENCE:g} seconds; "
                "its words are in instance/demo.log."
            )


def answers(url: str) -> bool:
    """Ask a page of this machine, past any proxy; only 200 is an answer."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=2) as answer:
            return answer.status == 200
    except (OSError, http.client.HTTPException):
        return False


def _greet(url: str) -> None:
    sys.stdout.reconfigure(errors="replace")
    say(f"\nTradeboard shows its demo at {url}\n")
    for account in _accounts()[:SHOWN]:
        line = "  {role:<10} {email}   password {password}".format_map(account)
        if account.get("totp_secret"):
            line += f"   TOTP secret {account['totp_secret']}"
        say(line)
    say("  The others stand in instance/demo-accounts.json.")
    say(f"\nIts mail is at {url}/dev/outbox and nowhere else; log: instance/demo.log.")
    say("Ctrl-C ends it. Other port: --port N. From the beginning: --reset.")


def _accounts() -> list[dict[str, str]]:
    try:
        return json.loads(instance.ACCOUNTS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        say("  (instance/demo-accounts.json is missing: --reset makes it anew.)")
        return []
