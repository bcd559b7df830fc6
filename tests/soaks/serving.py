"""A board behind gunicorn, and browsers that reach it over HTTP."""

import contextlib
import http.client
import json
import secrets
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote, urlencode

from itsdangerous import URLSafeTimedSerializer

from tests.factories import make_session
from tests.soaks.boards import ROOT
from tradeboard.accounts.models import Account
from tradeboard.core.db import db

HOST = "127.0.0.1"
APP = "tests.soaks.served_app:app"
PLAIN = "/?&=%~:"  # What stands in an address as it is.
PATIENCE = 60.0
LAST_WORDS = 20.0


class Answer(NamedTuple):
    """What a browser gets; without a status the connection was lost."""

    status: int | None
    location: str
    body: bytes

    @property
    def is_fault(self) -> bool:
        """Tell whether the board failed, or did not answer at all."""
        return self.status is None or self.status >= 500

    def json(self):
        """Return what it says to programs."""
        return json.loads(self.body)


@contextlib.contextmanager
def served(environment, *more: str, workers: int = 4):
    """Serve a board with gunicorn; yield the process and its port.

    Its workers are forked from one that has the application already.
    """
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        APP,
        "--preload",
        "--no-control-socket",
    ]
    command += ["--workers", str(workers), "--bind", f"{HOST}:{port}", *more]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_until_served(port, process)
        yield process, port
    finally:
        end(process)


def end(process: subprocess.Popen) -> None:
    """End a process that we began: politely first."""
    process.send_signal(signal.SIGTERM)
    try:
        process.communicate(timeout=LAST_WORDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate(timeout=LAST_WORDS)


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def wait_until_served(port: int, process: subprocess.Popen) -> None:
    """Wait until the board answers."""
    until = time.monotonic() + PATIENCE
    browser = Browser(port)
    while browser.get("/healthz").status != 200:
        if process.poll() is not None or time.monotonic() > until:
            said = process.stderr.read() if process.poll() is not None else ""
            raise AssertionError(f"the board is not served: {said[-2000:]}")
        time.sleep(0.1)
    browser.close()


@dataclass
class Browser:
    """Asks one thing after the other; `cookie` is who is signed in, if anybody is."""

    port: int
    cookie: str = ""
    token: str = ""
    patience: float = PATIENCE
    connection: http.client.HTTPConnection | None = field(default=None, repr=False)

    def connect(self) -> None:
        """Open the connection, so that the next request need not."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(
                HOST, self.port, timeout=self.patience
            )
        if self.connection.sock is None:
            self.connection.connect()

    def close(self) -> None:
        """Close the connection."""
        if self.connection is not None:
            self.connection.close()

    def get(self, path: str) -> Answer:
        """Open a page."""
        return self._ask("GET", path, None)

    def post(self, path: str, **fields) -> Answer:
        """Send a form; without `submit_id` it is a new one."""
        data = {"csrf_token": self.token, "submit_id": secrets.token_urlsafe(16)}
        return self._ask("POST", path, urlencode(data | fields, doseq=True))

    def _ask(self, method: str, path: str, body: str | None) -> Answer:
        headers = {"Cookie": self.cookie} if self.cookie else {}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            self.connect()
            assert self.connection is not None
            self.connection.request(method, quote(path, safe=PLAIN), body, headers)
            answer = self.connection.getresponse()
            location = answer.getheader("Location") or ""
            return Answer(answer.status, location, answer.read())
        except (OSError, http.client.HTTPException):
            self.close()
            return Answer(None, "", b"")


def sign_in(app, account: Account, port: int, **more) -> Browser:
    """Return a browser in which somebody is signed in, with a token for its forms."""
    csrf = secrets.token_hex(20)
    signer = app.session_interface.get_signing_serializer(app)
    session = {"_user_id": make_session(account), "csrf_token": csrf}
    cookie = f"{app.config['SESSION_COOKIE_NAME']}={signer.dumps(session)}"
    forms = URLSafeTimedSerializer(app.secret_key, salt="wtf-csrf-token")
    db.session.rollback()
    return Browser(port, cookie, forms.dumps(csrf), **more)
