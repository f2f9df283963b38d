"""Listening sockets, one per worker (SO_REUSEPORT), and how they close.

The kernel gives each new connection to one of them, by a hash of the client's address and port. It
completes handshakes by itself and queues the connections. Closing a listener resets those in its
queue, so the worker first accepts them. Without that, callers whose proxy has just connected to an
instance that stops get no response (``tests/unit/test_listeners.py``).
"""

import asyncio
import errno
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from typing import Final

from aiohttp import web

from service.settings import Settings, SettingsError

BACKLOG: Final = 2048
"""Maximum connections that the kernel queues until a worker accepts them, for each listener.

aiohttp's default is 128. The kernel may have a lower maximum (``somaxconn``).
"""
_BIND_SECONDS: Final = 5
"""Seconds for a port to become free. The workers of a killed parent keep it for about a second."""
_QUEUE_SECONDS: Final = 5
"""Maximum seconds for the worker to empty the accept queue. Connections left in it are reset."""
_POLL_SECONDS: Final = 0.02
CLOSE_SECONDS: Final = _QUEUE_SECONDS + 2 * _POLL_SECONDS
"""About the maximum seconds of ``close``."""
_TCP_INFO_BYTES: Final = 104
_TCP_INFO_QUEUED: Final = 24
"""Offset of ``tcpi_unacked`` in ``tcp_info``: the length of a listener's accept queue."""


def listen(settings: Settings) -> list[socket.socket]:
    """Return a listening socket per worker, all on the address of the settings.

    The address is the first one of the host name; with port 0 the system chooses one port for all.
    Block up to 5 s while the port is in use. Raise SettingsError if the address cannot be bound.
    """
    deadline = time.monotonic() + _BIND_SECONDS
    while True:
        try:
            return _listen(settings)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise SettingsError(_refusal(settings, error)) from error
            time.sleep(0.1)


def _refusal(settings: Settings, error: OSError) -> str:
    """Return why the address cannot be bound, and what to do."""
    remedies = {
        errno.EADDRINUSE: "another program uses it; stop that, or set PORT to another port",
        errno.EACCES: "this account may not use it; set PORT to 1024 or more",
        errno.EADDRNOTAVAIL: "this machine does not have the address; set HOST to one that it has",
    }
    name_unknown = f"{error.strerror}; set HOST to an address of this machine"
    remedy = remedies.get(error.errno or 0, name_unknown)
    return f"cannot listen on {settings.host} port {settings.port}: {remedy}"


def _listen(settings: Settings) -> list[socket.socket]:
    addresses = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    family, *_, address = addresses[0]
    # SO_REUSEPORT would share the address with another process. A socket without it fails instead.
    with socket.create_server(address[:2], family=family) as probe:
        address = probe.getsockname()
    return [
        socket.create_server(address[:2], family=family, backlog=BACKLOG, reuse_port=True)
        for _ in range(settings.workers)
    ]


async def close(sites: Iterable[web.BaseSite]) -> None:
    """Let the worker accept the queued connections, then stop listening.

    Connections that are not accepted within 5 s are reset. Systems other than Linux do not tell the
    length of the queue: there the worker has one iteration of the event loop.
    """
    sites = list(sites)
    with ExitStack() as stack:
        listening = [
            # Duplicates, so that the sockets of the event loop stay as they are.
            stack.enter_context(socket.fromfd(listener.fileno(), listener.family, listener.type))
            for site in sites
            for listener in getattr(site._server, "sockets", ())
        ]
        await asyncio.sleep(_POLL_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(_QUEUE_SECONDS):
                while any(map(accept_queue_length, listening)):  # noqa: ASYNC110 - there is no event to wait for
                    await asyncio.sleep(_POLL_SECONDS)
    for site in sites:
        await site.stop()
    # asyncio registers the connections accepted last in its next iterations.
    await asyncio.sleep(_POLL_SECONDS)


def accept_queue_length(listener: socket.socket) -> int:
    """Return the number of connections that wait to be accepted; 0 on systems other than Linux."""
    if sys.platform != "linux":
        return 0
    information = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    return int.from_bytes(information[_TCP_INFO_QUEUED : _TCP_INFO_QUEUED + 4], sys.byteorder)
