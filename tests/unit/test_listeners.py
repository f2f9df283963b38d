"""Tests of listening sockets: consecutive connections of a client go to the workers in turn."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from service.http import listeners
from service.settings import Settings
from tests.support.time_limits import limit

pytestmark = pytest.mark.contract("Connections")

_CONNECTIONS = 40
_LOCAL_HOSTS = ["127.0.0.1", *(["::1"] if Path("/proc/net/if_inet6").exists() else [])]


@pytest.mark.parametrize("host", _LOCAL_HOSTS)
def test_consecutive_connections_of_a_client_go_to_the_listeners_in_turn(host: str) -> None:
    """By the default, a hash, one of two workers often had three quarters of a client's pool."""
    settings = Settings.from_environment({"HOST": host, "PORT": "0", "WORKERS": "3"})
    with ExitStack() as stack:
        listening = [stack.enter_context(each) for each in listeners.listen(settings)]
        _check_turns(listening)
        listening.pop().close()
        counts = _connect(listening)
        assert sum(map(len, counts)) == _CONNECTIONS
        assert all(counts), "the share of a closed listener is not lost"


def _check_turns(listening: list[socket.socket]) -> None:
    """Check that each client port, of which Linux chooses every second one, has its listener."""
    ports = _connect(listening)
    assert [{port // 2 % len(listening) for port in each} for each in ports] == [
        {index} for index in range(len(listening))
    ]


def _connect(listening: list[socket.socket]) -> list[list[int]]:
    """Return the ports of _CONNECTIONS new connections that each listener accepts."""
    address = listening[0].getsockname()[:2]
    with ExitStack() as stack:
        for _ in range(_CONNECTIONS):
            stack.enter_context(socket.create_connection(address, timeout=limit(5)))
        ports: list[list[int]] = []
        for listener in listening:
            ports.append([])
            for _ in range(listeners.accept_queue_length(listener)):
                accepted, peer = listener.accept()
                accepted.close()
                ports[-1].append(peer[1])
    return ports
