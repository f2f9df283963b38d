"""Eviction policy: choice of the connection that a new one replaces at the connection limit."""

import heapq
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from service.http.connections import Connection

_BATCH: Final = 64
"""Idle connections that are sorted at a time."""
_MAX_EXCESS: Final = 50
"""Connections above the limit while delayed responses are sent to free theirs."""


class Eviction:
    """Victims in this order: idle connections, slow readers, delayed responses, slow uploads.

    Of each the one that has waited longest comes first. A connection whose whole request has
    arrived and whose response has not begun is never a victim. Delayed responses are 401 responses
    and long polls. One of them goes before a new connection, which is idle until its request comes:
    in a burst each connection would otherwise replace the one before it.
    """

    def __init__(self, max_connections: int, make_room: Callable[[], bool]) -> None:
        self._max_connections = max_connections
        self._make_room = make_room
        self._candidates: list[tuple[float, Connection]] = []

    def choose(self, connections: "set[Connection]", new: "Connection") -> "Connection | None":
        """Return the connection to close; the new one if there is no other victim.

        Return None if a delayed response is sent instead. Its connection closes afterwards.
        """
        victim = self._idle(connections) or _slow_reader(connections)
        has_room = len(connections) < self._max_connections + _MAX_EXCESS
        if (victim is None or victim.is_new) and has_room and self._make_room():
            if victim is not None:
                self._candidates.append((victim.closes_at, victim))
            return None
        return victim or _slow_upload(connections) or new

    def _idle(self, connections: "set[Connection]") -> "Connection | None":
        """Return the connection with the nearest keep-alive timeout, if any is idle.

        A batch is sorted at a time. A connection that has been idle since then has a nearer timeout
        than any that became idle later.
        """
        while self._candidates:
            closes_at, candidate = self._candidates.pop()
            if candidate in connections and candidate.is_idle and candidate.closes_at == closes_at:
                return candidate
        idle = (connection for connection in connections if connection.is_idle)
        nearest = heapq.nsmallest(_BATCH, idle, key=attrgetter("closes_at"))
        self._candidates = [(connection.closes_at, connection) for connection in reversed(nearest)]
        return self._candidates.pop()[1] if self._candidates else None


def _slow_reader(connections: "set[Connection]") -> "Connection | None":
    """Return the connection whose client has left a response unread for longest."""
    paused = (connection for connection in connections if connection.writing_paused)
    return min(paused, key=attrgetter("closes_at"), default=None)


def _slow_upload(connections: "set[Connection]") -> "Connection | None":
    """Return the connection whose request body has been arriving for longest."""
    uploading = (connection for connection in connections if connection.body_arrives)
    return min(uploading, key=attrgetter("closes_at"), default=None)
