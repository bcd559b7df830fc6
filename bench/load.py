"""The load: so many connections, each of which asks again as soon as it is answered."""

import selectors
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

CHUNK = 262_144
GOOD = frozenset({200, 303})
HEAD_ENDS = b"\r\n\r\n"
PATIENCE_S = 30.0


@dataclass(frozen=True)
class Ask:
    """One request as it goes over the wire, and by what its answer is known."""

    raw: bytes
    tag: int = 0


def get(path: str, **headers: str) -> Ask:
    """Return a request for a page."""
    return Ask(_head("GET", path, headers) + b"\r\n")


def post(
    path: str, body: bytes, kind: str, headers: dict[str, str], tag: int = 0
) -> Ask:
    """Return a request that sends something."""
    sent = {**headers, "Content-Type": kind, "Content-Length": str(len(body))}
    return Ask(_head("POST", path, sent) + b"\r\n" + body, tag)


def _head(verb: str, path: str, headers: dict[str, str]) -> bytes:
    lines = [f"{verb} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n"


@dataclass
class Run:
    """What came back: seconds by answer, those accepted, and the first that was not."""

    took: list[float] = field(default_factory=list)
    accepted: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    errors: int = 0
    refused: str = ""
    seconds: float = 0.0
    head: bytes = b""

    @property
    def rps(self) -> float:
        """Return how many answers came in a second."""
        return len(self.took) / self.seconds if self.seconds else 0.0

    def header(self, name: str) -> str:
        """Return what a header of the last answer says."""
        named = name.lower() + ": "
        lines = self.head.decode("latin-1").splitlines()
        return next(
            line[len(named) :] for line in lines if line.lower().startswith(named)
        )

    @property
    def size(self) -> int:
        """Return how long an answer usually was."""
        return int(median(self.sizes)) if self.sizes else 0

    def percentile(self, share: float) -> float:
        """Return within how many milliseconds that share was answered."""
        ordered = sorted(self.took)
        if not ordered:
            return 0.0
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


class Connection:
    """One line to the server; a server that closes it gets a new one."""

    def __init__(self, address: tuple[str, int]):
        self.address = address
        self.socket: socket.socket | None = None
        self.read = bytearray()
        self.ask = Ask(b"")
        self.began = 0.0

    def send(self, ask: Ask, selector: selectors.BaseSelector) -> None:
        """Ask, on the open line if there is one."""
        self.ask, self.began = ask, time.perf_counter()
        self.read.clear()
        if self.socket is None:
            self.socket = socket.create_connection(self.address, timeout=PATIENCE_S)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(self.socket, selectors.EVENT_READ, self)
        self.socket.sendall(ask.raw)

    def receive(self) -> bool:
        """Read what came; tell whether the answer is whole."""
        assert self.socket is not None
        some = self.socket.recv(CHUNK)
        self.read += some
        return not some or self._is_whole()

    def _is_whole(self) -> bool:
        end = self.read.find(HEAD_ENDS)
        if end < 0:
            return False
        length = self.header(b"content-length", end)
        return length is not None and len(self.read) >= end + 4 + int(length)

    def header(self, name: bytes, end: int) -> bytes | None:
        """Return what a header says, or None."""
        head = bytes(self.read[:end]).lower()
        at = head.find(b"\r\n" + name + b":")
        if at < 0:
            return None
        return head[at + len(name) + 3 :].split(b"\r\n", 1)[0].strip()

    def close_if_told(self, selector: selectors.BaseSelector) -> None:
        """Leave the line when the server does."""
        end = self.read.find(HEAD_ENDS)
        keeps = end > 0 and self.header(b"connection", end) == b"keep-alive"
        if not keeps and self.socket is not None:
            selector.unregister(self.socket)
            self.socket.close()
            self.socket = None

    @property
    def status(self) -> int:
        """Return the status of the answer; 0 if there is none."""
        return int(self.read[9:12]) if self.read[:5] == b"HTTP/" else 0


def run(
    port: int, asks: Iterator[Ask], *, connections: int = 8, seconds: float = 3.0
) -> Run:
    """Ask for a while; what is under way at the end is waited for, and counts."""
    result = Run()
    with selectors.DefaultSelector() as selector:
        lines = [Connection(("127.0.0.1", port)) for _ in range(connections)]
        began = time.perf_counter()
        waiting = 0
        for line in lines:
            waiting += _next(line, asks, selector)
        last = began
        while waiting:
            for key, _ in selector.select(PATIENCE_S):
                line = key.data
                if not line.receive():
                    continue
                now = time.perf_counter()
                last = now
                _note(result, line, now)
                line.close_if_told(selector)
                waiting -= 1
                if now - began <= seconds:
                    waiting += _next(line, asks, selector)
        result.seconds = last - began
        for line in lines:
            if line.socket is not None:
                line.socket.close()
    return result


def _next(line: Connection, asks: Iterator[Ask], selector) -> int:
    ask = next(asks, None)
    if ask is None:
        return 0
    line.send(ask, selector)
    return 1


def _note(result: Run, line: Connection, now: float) -> None:
    result.took.append(now - line.began)
    if line.status in GOOD:
        result.accepted.append(line.ask.tag)
        result.sizes.append(len(line.read))
        result.head = bytes(line.read[: line.read.find(HEAD_ENDS) + 2])
        return
    result.errors += 1
    result.refused = result.refused or bytes(line.read[:2000]).decode(errors="replace")
