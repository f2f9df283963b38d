"""Admission control: a limit on each organization's concurrent requests (contract, Shares)."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from service.database.errors import too_many_requests


class Admission:
    """Counter of each organization's requests in one worker, running and queued ones."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._in_flight: dict[int, int] = defaultdict(int)

    def enter(self, organization_id: int) -> None:
        """Count a request. Raise ApiError ``too_many_requests`` if the limit is reached."""
        if self._in_flight[organization_id] >= self._limit:
            raise too_many_requests()
        self._in_flight[organization_id] += 1

    def in_flight(self) -> int:
        """Return the number of requests of all organizations."""
        return sum(self._in_flight.values())

    @contextmanager
    def exempt(self, organization_id: int) -> Iterator[None]:
        """Exempt a counted request inside the block. It is counted again even above the limit."""
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
