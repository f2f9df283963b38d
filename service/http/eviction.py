"""Eviction policy: choice of the connection that a new one replaces at the connection limit."""

import heapq
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from service.http.connections import HttpConnection

_BATCH: Final = 64
"""Idle connections that are sorted at a time."""
_MAX_EXCESS: Final = 50
"""Maximum number of connections above the limit, while delayed responses end and free theirs."""


class Eviction:
    """Eviction policy: idle connections, then slow readers, delayed responses, slow uploads.

    Of each kind but delayed responses, the connection with the earliest ``closes_at`` goes first
    (idle ones in batches, see ``_idle``). A connection whose whole request has arrived and whose
    response has not begun is never a victim, except for delayed responses: 401 responses and long
    polls. These are sent early instead of being aborted, the oldest 401 first, then the longest
    poll; but not with _MAX_EXCESS connections above the limit. One of them goes before a connection
    that is new (``HttpConnection.is_new``): in a burst, each connection would otherwise replace the
    one before it.
    """

    def __init__(self, max_connections: int, make_room: Callable[[], bool]) -> None:
        self._max_connections = max_connections
        self._make_room = make_room
        """Ends a delayed response early (MAKE_ROOM); returns False if there is none."""
        self._candidates: list[tuple[float, HttpConnection]] = []
        """Idle connections and their timeouts when they were sorted, the nearest timeout last."""

    def choose(
        self, connections: "set[HttpConnection]", new: "HttpConnection"
    ) -> "HttpConnection | None":
        """Return the connection to abort; the new one if there is no other victim.

        ``connections`` are the open ones, without the new one. Return None if a delayed response
        ends early instead. Its connection closes after it; until then the limit is exceeded.
        """
        victim = self._idle(connections) or _slow_reader(connections)
        has_room = len(connections) < self._max_connections + _MAX_EXCESS
        if (victim is None or victim.is_new) and has_room and self._make_room():
            if victim is not None:
                self._candidates.append((victim.closes_at, victim))
            return None
        return victim or _slow_upload(connections) or new

    def _idle(self, connections: "set[HttpConnection]") -> "HttpConnection | None":
        """Remove and return the candidate with the nearest timeout; None if no connection is idle.

        _BATCH connections are sorted at a time. Those that became idle after that are considered
        when no candidate of the batch is left.
        """
        while self._candidates:
            closes_at, candidate = self._candidates.pop()
            if candidate in connections and candidate.is_idle and candidate.closes_at == closes_at:
                return candidate
        idle = (connection for connection in connections if connection.is_idle)
        nearest = heapq.nsmallest(_BATCH, idle, key=attrgetter("closes_at"))
        self._candidates = [(connection.closes_at, connection) for connection in reversed(nearest)]
        return self._candidates.pop()[1] if self._candidates else None


def _slow_reader(connections: "set[HttpConnection]") -> "HttpConnection | None":
    """Return the connection with the earliest timeout whose write buffer is full, if any."""
    paused = (connection for connection in connections if connection.writing_paused)
    return min(paused, key=attrgetter("closes_at"), default=None)


def _slow_upload(connections: "set[HttpConnection]") -> "HttpConnection | None":
    """Return the connection with the earliest timeout whose request body is incomplete, if any."""
    uploading = (connection for connection in connections if connection.is_receiving_body)
    return min(uploading, key=attrgetter("closes_at"), default=None)
