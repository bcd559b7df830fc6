"""Whoever sends more than is read gets an answer all the same."""

import os
import socket
import time

import pytest

from tests.soaks import serving
from tradeboard.web import unread

MB = 1024 * 1024
FORM = "multipart/form-data; boundary=x"


KINDS = [(), ("--threads", "2")]


@pytest.fixture(scope="module", params=KINDS, ids=["sync", "threads"])
def port(request, apps):
    """Serve the board as operators do; return where."""
    config = apps("sqlite").config
    environment = {
        **os.environ,
        "TRADEBOARD_SECRET_KEY": config["SECRET_KEY"],
        "TRADEBOARD_DATABASE_URL": config["DATABASE_URL"],
        "TRADEBOARD_KEYRING": str(config["KEYRING"]),
    }
    with serving.served(environment, *request.param, workers=1) as (_, port):
        yield port


def send(port, said, body, *, path="/register", kind=FORM):
    """Send it all before looking at the answer, as a slow reader does; return that."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{said}\r\n"
        line.sendall(f"{head}Content-Type: {kind}\r\n\r\n".encode())
        line.sendall(body)
        answer = b""
        while part := line.recv(65536):
            answer += part
            if b"</html>" in answer or answer.endswith(b"0\r\n\r\n"):
                break
    return answer.decode()


@pytest.mark.parametrize("size", [10 * MB, 51 * MB])
def test_what_is_refused_unread_is_told_so(port, size):
    answer = send(port, f"Content-Length: {size}", bytes(size))

    assert answer.split(" ", 2)[1] == "413"
    assert "</html>" in answer


def test_parts_without_a_length_are_read_to_their_end(port):
    part = f"{MB:x}\r\n".encode() + bytes(MB) + b"\r\n"

    answer = send(port, "Transfer-Encoding: chunked", part * 8 + b"0\r\n\r\n")

    assert answer.split(" ", 2)[1] in ("400", "411", "413")
    assert "</html>" in answer


def test_who_promises_much_and_sends_nothing_holds_nobody_up(port):
    began = time.monotonic()

    answer = send(port, f"Content-Length: {40 * MB}", b"", kind="text/plain")

    assert answer.startswith("HTTP/1.1 4")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert b"200" in line.recv(65536)
    assert time.monotonic() - began < unread.LONGEST_S


class Line:
    """A connection of gunicorn's, as far as this goes."""

    def __init__(self):
        self.patience = [None]

    def gettimeout(self):
        """Return how long it waits at most."""
        return self.patience[-1]

    def settimeout(self, seconds):
        """Wait so long at most."""
        self.patience.append(seconds)


@pytest.mark.parametrize(
    ("parts", "read"),
    [
        ([b"a", b"b", b"", b"c"], 3),
        ([bytes(unread.PART)] * 2000, unread.MOST // unread.PART),
        ([b"a", OSError("gone")], 2),
    ],
)
def test_it_reads_to_the_end_or_to_its_limit(parts, read):
    rest = list(parts)

    class Body:
        def read(self, _size):
            part = rest.pop(0)
            if isinstance(part, Exception):
                raise part
            return part

    line = Line()
    environ = {"CONTENT_LENGTH": "9", "wsgi.input": Body(), "gunicorn.socket": line}
    answer = unread.reading_on(lambda *_: [b"x"])(environ, None)
    assert len(rest) == len(parts)
    assert list(answer) == [b"x"]
    answer.close()

    assert len(parts) - len(rest) == read
    assert line.patience == [None, unread.QUIET_S, None]
