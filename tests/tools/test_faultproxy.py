"""The wire does what the tests of failures think that it does."""

import socket
import threading
import time
from contextlib import closing, suppress

import pytest

from tests.tools import faultproxy


@pytest.fixture
def echo():
    """Return the address of a server that sends back what it gets."""
    server = socket.create_server(("127.0.0.1", 0))

    def answer(connection):
        with closing(connection), suppress(ConnectionError):
            while piece := connection.recv(1024):
                connection.sendall(piece)

    def serve():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield server.getsockname()
    server.shutdown(socket.SHUT_RDWR)
    server.close()


def test_a_wire_passes_delays_drops_half_closes_and_resets(echo):
    with faultproxy.proxying(echo, ("127.0.0.1", 0)) as wire:
        one = socket.create_connection(wire.address, timeout=5)
        one.sendall(b"a")
        assert one.recv(10) == b"a"

        wire.fault = faultproxy.delay(0.1)
        began = time.monotonic()
        one.sendall(b"b")
        assert one.recv(10) == b"b"
        assert time.monotonic() - began >= 0.2

        wire.fault = faultproxy.drop
        one.sendall(b"c")
        one.settimeout(0.1)
        with pytest.raises(TimeoutError):
            one.recv(10)

        one.settimeout(5)
        wire.fault = faultproxy.half_close
        one.sendall(b"d")
        assert one.recv(10) == b""

        wire.fault = faultproxy.passes
        other = socket.create_connection(wire.address, timeout=5)
        other.sendall(b"e")
        assert other.recv(10) == b"e"
        wire.fault = faultproxy.reset
        other.sendall(b"f")
        with pytest.raises(ConnectionResetError):
            other.recv(10)
        assert wire.connections == 2
        one.close()
        other.close()
