"""A wire that fails on demand: delay, reset, half-close, drop.

    with faultproxy.proxying(upstream, listen) as wire:
        wire.fault = faultproxy.reset

An address is a path for a socket of the file system, or (host, port) for TCP.
"""

import asyncio
import socket
import struct
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

Address = str | tuple[str, int]
PIECE = 64 * 1024
LONGEST_WAIT = 10.0
LINGER_NOT = struct.pack("ii", 1, 0)


class Broken(Exception):
    """The fault ended the connection."""


Fault = Callable[[bytes, asyncio.StreamWriter], Coroutine[Any, Any, None]]


async def passes(piece: bytes, to: asyncio.StreamWriter) -> None:
    """Hand on what came: no fault."""
    to.write(piece)
    await to.drain()


def delay(seconds: float) -> Fault:
    """Return a fault that hands on each piece late."""

    async def late(piece: bytes, to: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        await passes(piece, to)

    return late


async def drop(piece: bytes, to: asyncio.StreamWriter) -> None:
    """Lose what came, without a word; the connection stays."""


async def half_close(piece: bytes, to: asyncio.StreamWriter) -> None:
    """Say once that nothing more follows, lose the rest, and go on listening."""
    with suppress(OSError, RuntimeError):
        to.write_eof()


async def reset(piece: bytes, to: asyncio.StreamWriter) -> None:
    """End the connection in the middle, as a machine that lost its power comes back."""
    raise Broken


class Wire:
    """The proxy: `fault` is what happens to each piece from now on.

    While it resets, those who connect anew are turned away at once.
    """

    def __init__(self, upstream: Address, listen: Address):
        self.upstream, self.listen = upstream, listen
        self.fault: Fault = passes
        self.connections = 0
        self.address: Address = listen
        self._loop = asyncio.new_event_loop()
        self._ready, self._done = Event(), asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self._thread = Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()
        if not self._ready.wait(LONGEST_WAIT):
            raise TimeoutError("the proxy does not listen")

    def stop(self) -> None:
        """Listen no more, and end what is connected."""
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(LONGEST_WAIT)

    def cut(self) -> None:
        """End every connection there is, whether or not something is under way."""
        self._loop.call_soon_threadsafe(self._cut)

    def _cut(self) -> None:
        for writer in list(self._writers):
            _reset(writer)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        if isinstance(self.listen, str):
            Path(self.listen).unlink(missing_ok=True)
            server = await asyncio.start_unix_server(self._accept, self.listen)
        else:
            server = await asyncio.start_server(self._accept, *self.listen)
            self.address = server.sockets[0].getsockname()[:2]
        self._ready.set()
        await self._done.wait()
        server.close()
        self._cut()
        if rest := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(rest, timeout=LONGEST_WAIT)

    async def _accept(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        if self.fault is reset:
            _reset(writer)
            return
        try:
            if isinstance(self.upstream, str):
                there = await asyncio.open_unix_connection(self.upstream)
            else:
                there = await asyncio.open_connection(*self.upstream)
        except OSError:
            _reset(writer)
            return
        both = {writer, there[1]}
        self._writers |= both
        try:
            async with asyncio.TaskGroup() as pumps:
                pumps.create_task(self._pump(reader, there[1]))
                pumps.create_task(self._pump(there[0], writer))
        except* (Broken, OSError, asyncio.CancelledError):
            pass
        finally:
            self._writers -= both
            for one in both:
                _reset(one)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while piece := await reader.read(PIECE):
            await self.fault(piece, writer)
        with suppress(OSError, RuntimeError):
            writer.write_eof()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close without a farewell; over TCP that is an RST."""
    with suppress(OSError):
        sock = writer.get_extra_info("socket")
        if sock is not None and sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
    writer.transport.abort()


@contextmanager
def proxying(upstream: Address, listen: Address) -> Iterator[Wire]:
    """Put a wire before a server for the time of the block."""
    wire = Wire(upstream, listen)
    wire.start()
    try:
        yield wire
    finally:
        wire.stop()


def before_postgresql(url: str, folder: Path) -> tuple[str, str, str]:
    """Return upstream and listening socket, and the URL that leads through the wire.

    `folder` must be short: the path of a socket has some hundred letters at most.
    """
    from sqlalchemy.engine import make_url

    made = make_url(url)
    host = str(made.query.get("host") or made.host or "localhost")
    port = str(made.query.get("port") or made.port or 5432)
    name = f".s.PGSQL.{port}"
    if not host.startswith("/"):
        raise ValueError("the server of the tests listens on a socket of the system")
    query = {**made.query, "host": str(folder), "port": port}
    through = made.set(query=query).render_as_string(hide_password=False)
    return f"{host}/{name}", str(folder / name), through
