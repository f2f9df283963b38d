"""Listening sockets, one per worker (SO_REUSEPORT): an even share of connections, no resets.

By default the kernel hashes a client's address and port: of 8 connections of a client one of two
workers gets 6 or more in 29 % of cases, and answers them later than the other one. Here a client's
consecutive ports go to the workers in turn.

The kernel completes handshakes by itself and queues the connections. Closing a listener resets
every queued connection and every incomplete handshake. Another listener on the same port does not
help: the kernel has chosen one already, by the client's address and port. So a listener first
ignores new SYNs and accepts its queue. Without the two programs in the kernel a client with 2
connections has both on one worker half of the time (``make attack``: shares), and clients of an
instance that stops are reset (``tests/platform/test_graceful_shutdown.py``).
"""

import asyncio
import ctypes
import errno
import socket
import struct
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from typing import Final

from aiohttp import web

from service.settings import Settings, SettingsError

HANDSHAKE_SECONDS: Final = 0.5
"""Seconds for incomplete handshakes to complete: one round trip.

It is shorter than the 1 s after which a client repeats an ignored SYN. The repeated SYN reaches
another worker's listener, or is refused if the whole service stops.
"""
BACKLOG: Final = 2048
"""Maximum connections that the kernel queues until a worker accepts them, for each listener.

aiohttp's default is 128. The kernel may have a lower maximum (``somaxconn``).
"""
_BIND_SECONDS: Final = 5
"""Seconds for a port to become free. The workers of a killed parent keep it for about a second."""
_QUEUE_SECONDS: Final = 5
"""Maximum seconds for the worker to empty the accept queue. Connections left in it are reset."""
_POLL_SECONDS: Final = 0.02
CLOSE_SECONDS: Final = HANDSHAKE_SECONDS + _QUEUE_SECONDS + _POLL_SECONDS
"""About the maximum seconds of ``close``."""
_SO_ATTACH_FILTER: Final = 26
_SO_DETACH_FILTER: Final = 27
_SO_ATTACH_REUSEPORT_CBPF: Final = 51
_TCP_INFO_BYTES: Final = 104
_TCP_INFO_QUEUED: Final = 24
"""Offset of ``tcpi_unacked`` in ``tcp_info``: the length of a listener's accept queue."""
_IGNORE_SYN: Final = (
    (0x30, 0, 0, 13),  # load the flags of the TCP header
    (0x54, 0, 0, 0x12),  # mask SYN and ACK
    (0x15, 0, 1, 0x02),  # if SYN alone is set:
    (0x06, 0, 0, 0),  # drop the packet
    (0x06, 0, 0, 0xFFFFFFFF),  # else: accept the packet
)
"""A classic BPF program: code, jump if true, jump if false, operand."""
_FROM_IP_HEADER: Final = 0xFFF00000
"""Offset of the IP header (``SKF_NET_OFF``)."""
_LOAD_PORT: Final = {
    socket.AF_INET: (
        (0x30, 0, 0, _FROM_IP_HEADER),  # load version and length of the IP header
        (0x54, 0, 0, 0x0F),  # mask the length, in words
        (0x64, 0, 0, 2),  # in bytes
        (0x07, 0, 0, 0),  # to the index register
        (0x48, 0, 0, _FROM_IP_HEADER),  # load the client's port, which follows
    ),
    socket.AF_INET6: ((0x28, 0, 0, _FROM_IP_HEADER + 40),),
}
"""Instructions that load a client's port, by address family."""


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
                address = f"{settings.host} port {settings.port}"
                raise SettingsError(f"cannot listen on {address}: {error.strerror}") from error
            time.sleep(0.1)


def _listen(settings: Settings) -> list[socket.socket]:
    addresses = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    family, *_, address = addresses[0]
    # SO_REUSEPORT would share the address with another process. A socket without it fails instead.
    with socket.create_server(address[:2], family=family) as probe:
        address = probe.getsockname()
    listeners = [
        socket.create_server(address[:2], family=family, backlog=BACKLOG, reuse_port=True)
        for _ in range(settings.workers)
    ]
    _take_turns(listeners)
    return listeners


def _take_turns(listeners: Sequence[socket.socket]) -> None:
    """Let the kernel give a client's consecutive connections to the listeners in turn (Linux only).

    Linux gives most connections of a client every second port. The share of a listener that is
    closed goes to the others by hash. Do nothing where the system refuses the program.
    """
    listener = listeners[0]
    if sys.platform == "linux" and listener.family in _LOAD_PORT:
        # Half of the port, modulo their number, is the index of the listener.
        choose = (0x74, 0, 0, 1), (0x94, 0, 0, len(listeners)), (0x16, 0, 0, 0)
        _attach(listener, _SO_ATTACH_REUSEPORT_CBPF, (*_LOAD_PORT[listener.family], *choose))


async def close(sites: Iterable[web.BaseSite]) -> None:
    """Ignore new handshakes, let the worker accept the queued connections, then stop listening.

    It takes at least 0.5 s. Connections that are not accepted within 5.5 s are reset. Systems other
    than Linux neither ignore handshakes nor tell the queue's length: there it only waits 0.5 s.
    """
    sites = list(sites)
    with ExitStack() as stack:
        listening = [
            # Duplicates, so that the sockets of the event loop stay as they are.
            stack.enter_context(socket.fromfd(listener.fileno(), listener.family, listener.type))
            for site in sites
            for listener in getattr(site._server, "sockets", ())
        ]
        await _drain(listening)
    for site in sites:
        await site.stop()
    # asyncio registers the connections accepted last in its next iterations.
    await asyncio.sleep(_POLL_SECONDS)


async def _drain(listening: Iterable[socket.socket]) -> None:
    """Ignore new handshakes, and return when the event loop has accepted all connections."""
    for listener in listening:
        ignore_handshakes(listener)
    await asyncio.sleep(HANDSHAKE_SECONDS)
    with suppress(TimeoutError):
        async with asyncio.timeout(_QUEUE_SECONDS):
            while any(map(accept_queue_length, listening)):  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(_POLL_SECONDS)


def ignore_handshakes(listener: socket.socket) -> None:
    """Drop each SYN to a listener from now on (Linux only). Clients repeat it after a second.

    The filter is the socket's: it holds for every process that has the socket. Do nothing where
    the system refuses it.
    """
    if sys.platform != "linux":
        return
    _attach(listener, _SO_ATTACH_FILTER, _IGNORE_SYN)


def _attach(
    listener: socket.socket, option: int, instructions: Sequence[tuple[int, int, int, int]]
) -> None:
    """Attach a program to a socket by an option; do nothing where the system refuses it."""
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
    buffer = ctypes.create_string_buffer(program)
    address = struct.pack("HP", len(instructions), ctypes.addressof(buffer))
    with suppress(OSError):  # a sandbox may refuse filters
        listener.setsockopt(socket.SOL_SOCKET, option, address)


def accept_handshakes(listener: socket.socket) -> None:
    """Undo ``ignore_handshakes``, which a dead predecessor may have applied to the same socket.

    Each worker calls it at its start. Do nothing without a filter.
    """
    if sys.platform == "linux":
        with suppress(OSError):  # there is no filter
            listener.setsockopt(socket.SOL_SOCKET, _SO_DETACH_FILTER, 0)


def accept_queue_length(listener: socket.socket) -> int:
    """Return the number of connections that wait to be accepted; 0 on systems other than Linux."""
    if sys.platform != "linux":
        return 0
    information = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    return int.from_bytes(information[_TCP_INFO_QUEUED : _TCP_INFO_QUEUED + 4], sys.byteorder)
