"""Admission control: limits an organization's concurrent requests in one worker.

Source: contract, Shares.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from service.database.errors import too_many_requests


class Admission:
    """Counter of each organization's authenticated requests in one worker, running or queued.

    A request counts from ``enter`` until ``leave``, which the middleware calls when the response is
    made, before it is sent. The caller must call ``leave`` for each ``enter`` that has not raised.
    """

    def __init__(self, limit: int, retry_seconds: Callable[[int], int]) -> None:
        self._limit = limit
        self._retry_seconds = retry_seconds
        """Returns the seconds after which requests of an organization are likely to be served."""
        self._in_flight: dict[int, int] = defaultdict(int)

    def enter(self, organization_id: int) -> None:
        """Count a request; raise ApiError ``too_many_requests`` instead if the limit is reached.

        Its ``Retry-After`` is estimated from the queue for database connections.
        """
        if self._in_flight[organization_id] >= self._limit:
            raise too_many_requests(self._retry_seconds(organization_id))
        self._in_flight[organization_id] += 1

    def remaining(self, organization_id: int) -> int:
        """Return the number of further requests that would be accepted."""
        return max(0, self._limit - self._in_flight.get(organization_id, 0))

    def in_flight(self) -> int:
        """Return the number of counted requests of all organizations, for the metrics."""
        return sum(self._in_flight.values())

    @contextmanager
    def exempt(self, organization_id: int) -> Iterator[None]:
        """Do not count a counted request inside the block, such as a long poll that waits.

        Afterwards it counts again, even above the limit.
        """
        self.leave(organization_id)
        try:
            yield
        finally:
            self._in_flight[organization_id] += 1

    def leave(self, organization_id: int) -> None:
        """Discount a request that has ended."""
        self._in_flight[organization_id] -= 1
        if not self._in_flight[organization_id]:
            del self._in_flight[organization_id]
