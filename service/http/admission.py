"""How many requests of one organization a worker has under way and waiting (contract, Shares)."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from service.database.errors import too_many_requests


class Admission:
    """Counts the requests of each organization, and refuses what exceeds the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._under_way: dict[int, int] = defaultdict(int)

    def enter(self, organization_id: int) -> None:
        """Count a request; raises ApiError ``too_many_requests``, which counts nothing."""
        if self._under_way[organization_id] >= self._limit:
            raise too_many_requests()
        self._under_way[organization_id] += 1

    def in_flight(self) -> int:
        """How many requests are under way, of all organizations."""
        return sum(self._under_way.values())

    @contextmanager
    def exempt(self, organization_id: int) -> Iterator[None]:
        """Do not count a request meanwhile; it comes back whatever the limit is."""
        self.leave(organization_id)
        try:
            yield
        finally:
            self._under_way[organization_id] += 1

    def leave(self, organization_id: int) -> None:
        """The request is answered, or its caller is gone."""
        self._under_way[organization_id] -= 1
        if not self._under_way[organization_id]:
            del self._under_way[organization_id]
