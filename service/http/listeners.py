"""Listening sockets: closed only once nobody waits on them.

The kernel completes handshakes by itself and queues the connections. Closing a listener resets
every connection of its queue, and every handshake that is not complete yet. Another listener of the
same port does not help: the kernel chooses one by the client's address and port beforehand.
"""

import asyncio
import ctypes
import errno
import socket
import struct
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from typing import Any, Final

from aiohttp import web

from service.settings import Settings, SettingsError

HANDSHAKE_SECONDS: Final = 0.5
"""For handshakes that have begun: a round trip. Shorter than the second after which a client
repeats an unanswered SYN, so that the repeated one meets a closed port and is refused."""
_BACKLOG: Final = 2048
_BIND_SECONDS: Final = 5
"""The workers of a parent that was killed hold its port for about a second."""
_QUEUE_SECONDS: Final = 5
"""Longest wait for the queue of a worker that accepts as fast as it can."""
_LOOK_SECONDS: Final = 0.02
_SO_ATTACH_FILTER: Final = 26
_SO_DETACH_FILTER: Final = 27
_TCP_INFO_BYTES: Final = 104
_TCP_INFO_QUEUED: Final = 24
"""Where ``tcpi_unacked`` stands, which is the length of a listener's queue."""
_IGNORE_SYN: Final = (
    (0x30, 0, 0, 13),  # load the byte of flags of the TCP header
    (0x54, 0, 0, 0x12),  # of these SYN and ACK
    (0x15, 0, 1, 0x02),  # SYN alone:
    (0x06, 0, 0, 0),  # drop the packet
    (0x06, 0, 0, 0xFFFFFFFF),  # any other: keep all of it
)
"""A classic BPF program: code, jump if true, jump if false, operand."""


def listen(settings: Settings) -> list[socket.socket]:
    """Return a listening socket per worker, all on one address.

    Raises SettingsError when the address cannot be had.
    """
    deadline = time.monotonic() + _BIND_SECONDS
    while True:
        try:
            return _listen(settings)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                where = f"{settings.host} port {settings.port}"
                raise SettingsError(f"cannot listen on {where}: {error.strerror}") from error
            time.sleep(0.1)


def _listen(settings: Settings) -> list[socket.socket]:
    found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)
    family, *_, address = found[0]
    # Sockets that may share an address share it with strangers, too: this one may not.
    with socket.create_server(address[:2], family=family) as probe:
        address = probe.getsockname()
    return [_listener(family, address) for _ in range(settings.workers)]


def another(listener: socket.socket) -> socket.socket:
    """Return one more listener on the address of one that there is."""
    return _listener(listener.family, listener.getsockname())


def _listener(family: int, address: tuple[Any, ...]) -> socket.socket:
    return socket.create_server(address[:2], family=family, backlog=_BACKLOG, reuse_port=True)


async def close(sites: Iterable[web.BaseSite]) -> None:
    """Accept what is under way, then stop listening: no connection is reset."""
    sites = list(sites)
    with ExitStack() as stack:
        listening = [
            # The event loop's own sockets lack most methods of real ones.
            stack.enter_context(socket.fromfd(each.fileno(), each.family, each.type))
            for site in sites
            for each in getattr(site._server, "sockets", ())
        ]
        await _empty(listening)
    for site in sites:
        await site.stop()
    # Connections that were accepted last become known in the next rounds of the event loop.
    await asyncio.sleep(_LOOK_SECONDS)


async def _empty(listening: Iterable[socket.socket]) -> None:
    """Let no new handshake begin, and return when the queues are empty.

    The event loop goes on accepting meanwhile.
    """
    for listener in listening:
        ignore_handshakes(listener)
    await asyncio.sleep(HANDSHAKE_SECONDS)
    with suppress(TimeoutError):
        async with asyncio.timeout(_QUEUE_SECONDS):
            while any(map(queued, listening)):  # noqa: ASYNC110 - there is no event to wait for
                await asyncio.sleep(_LOOK_SECONDS)


def ignore_handshakes(listener: socket.socket) -> None:
    """Drop each SYN that comes to a listener; whoever sent it tries again in a second."""
    if sys.platform != "linux":
        return
    program = b"".join(struct.pack("HBBI", *each) for each in _IGNORE_SYN)
    buffer = ctypes.create_string_buffer(program)
    address = struct.pack("HP", len(_IGNORE_SYN), ctypes.addressof(buffer))
    with suppress(OSError):  # a sandbox may refuse it: then the queue is emptied all the same
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, address)


def take_handshakes(listener: socket.socket) -> None:
    """Undo `ignore_handshakes`, which a worker before this one may have done to the same socket."""
    if sys.platform == "linux":
        with suppress(OSError):  # there is no filter
            listener.setsockopt(socket.SOL_SOCKET, _SO_DETACH_FILTER, 0)


def queued(listener: socket.socket) -> int:
    """Return how many connections wait to be accepted; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0
    information = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    return int.from_bytes(information[_TCP_INFO_QUEUED : _TCP_INFO_QUEUED + 4], sys.byteorder)
