"""Tests of listening sockets: an instance that stops answers the connections in its queues."""

import socket
from contextlib import ExitStack

import pytest

from service.http import listeners
from tests.support.connection_server import GET, ROOM, ConnectionServer
from tests.support.time_limits import limit

pytestmark = pytest.mark.contract("Connections")


async def test_a_stop_answers_queued_connections() -> None:
    """Their handshakes are complete, and their requests sent, but no worker has accepted them."""
    server = ConnectionServer()
    await server.start()
    with ExitStack() as stack:
        # Nothing is awaited meanwhile, so the event loop accepts none.
        queued = [
            stack.enter_context(socket.create_connection(server.runner.addresses[0], limit(5)))
            for _ in range(ROOM - 1)
        ]
        for connection in queued:
            connection.sendall(GET % b"quick")
        await server.runner.cleanup()
        assert [each.recv(12) for each in queued] == [b"HTTP/1.1 200"] * len(queued)


def test_the_kernel_tells_the_length_of_a_queue() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, ExitStack() as stack:
        address = listener.getsockname()
        for _ in range(3):
            stack.enter_context(socket.create_connection(address, limit(5)))
        assert listeners.accept_queue_length(listener) == 3
        listener.accept()[0].close()
        assert listeners.accept_queue_length(listener) == 2
