"""Eviction policy: the connection that ends when a worker has as many as it may hold."""

import heapq
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from service.http.connections import Connection

_IN_LINE: Final = 64
_MOST_BEYOND: Final = 50
"""Connections over the limit while waiting readers are answered to make room for them."""


class Eviction:
    """Choose the connection that ends for a new one.

    In this order: an idle one; one whose caller does not take its answer; the waiting reader that
    has waited longest; a new one whose first request has not come yet; the one whose body has been
    arriving for longest. Requests that the service works on are never ended.

    New connections are not idle: of a burst that is accepted at once each would end the one before
    it, and nobody would be served.
    """

    def __init__(self, most: int, make_room: Callable[[], bool]) -> None:
        self._most = most
        self._make_room = make_room
        self._line: list[tuple[float, Connection]] = []

    def choose(self, held: "set[Connection]", new: "Connection") -> "Connection | None":
        """Return the connection to end; the new one if all others are at work.

        Return None if a waiting reader ends its connection by its empty page, in a moment.
        """
        leaving = self._at_rest(held) or _untaken(held)
        if leaving is None and len(held) < self._most + _MOST_BEYOND and self._make_room():
            return None
        return (
            leaving
            or _first_to_close(each for each in held if each.is_new)
            or _arriving(held)
            or new
        )

    def _at_rest(self, held: "set[Connection]") -> "Connection | None":
        """Return the one that would be closed next for resting, if any rests.

        Some are put in line at once: whoever still rests since then goes before all others.
        """
        while self._line:
            closes_at, connection = self._line.pop()
            if connection in held and connection.is_idle and connection.closes_at == closes_at:
                return connection
        resting = (each for each in held if each.is_idle and not each.is_new)
        nearest = heapq.nsmallest(_IN_LINE, resting, key=attrgetter("closes_at"))
        self._line = [(each.closes_at, each) for each in reversed(nearest)]
        return self._line.pop()[1] if self._line else None


def _untaken(held: "set[Connection]") -> "Connection | None":
    """Return the one that has waited longest of those whose callers do not take their answers."""
    return _first_to_close(each for each in held if each.writing_paused)


def _arriving(held: "set[Connection]") -> "Connection | None":
    """Return the one whose body has been arriving for longest."""
    return _first_to_close(each for each in held if each.body_arrives)


def _first_to_close(connections: "Iterable[Connection]") -> "Connection | None":
    return min(connections, key=attrgetter("closes_at"), default=None)
