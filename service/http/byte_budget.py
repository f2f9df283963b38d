"""Byte budget: limits the bodies and responses that an organization has in memory in one worker.

Clients that send large bodies or read responses slowly use up the budget of their own organization
only (contract, Budgets). Bytes are reserved for a request; the middleware releases all of them once
the response is sent or the connection is closed.
"""

from collections import defaultdict
from typing import Final

from aiohttp import web

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.http.context import caller_of
from service.limits import MAX_BYTES_IN_FLIGHT, byte_size

MIN_COUNTED_BYTES: Final = 32 * 1024
"""Bodies and responses below this size are not counted: admission control bounds their number."""


class ByteBudget:
    """Reserved bytes of each organization in this worker, with ``max_bytes`` for each.

    Its methods count any number of bytes; the functions of this module ignore small ones.
    """

    def __init__(self, max_bytes: int = MAX_BYTES_IN_FLIGHT) -> None:
        self._max_bytes = max_bytes
        self._reserved: dict[int, int] = defaultdict(int)

    @property
    def is_in_use(self) -> bool:
        """Return whether any organization has reserved bytes."""
        return bool(self._reserved)

    def remaining(self, organization_id: int) -> int:
        """Return the bytes that are left of an organization's budget; 0 if it is exceeded."""
        return max(0, self._max_bytes - self._reserved.get(organization_id, 0))

    def check(self, organization_id: int) -> None:
        """Raise ApiError ``too_many_requests`` if the organization's budget is used up."""
        if self._reserved and self._reserved.get(organization_id, 0) >= self._max_bytes:
            raise _too_many()

    def reserve(self, organization_id: int, size: int) -> None:
        """Reserve bytes; raise ApiError ``too_many_requests`` if the budget has fewer left.

        An organization without reserved bytes may reserve any number. The sum may reach the limit
        exactly.
        """
        reserved = self._reserved.get(organization_id, 0)
        if reserved and reserved + size > self._max_bytes:
            raise _too_many()
        self.add(organization_id, size)

    def add(self, organization_id: int, size: int) -> None:
        """Reserve bytes that are in memory already, also beyond the budget."""
        self._reserved[organization_id] += size

    def release(self, organization_id: int, size: int) -> None:
        """Return reserved bytes to the budget."""
        self._reserved[organization_id] -= size
        if not self._reserved[organization_id]:
            del self._reserved[organization_id]


BYTE_BUDGET: web.AppKey[ByteBudget] = web.AppKey("byte_budget", ByteBudget)
_RESERVED: web.RequestKey[int] = web.RequestKey("reserved_bytes", int)


def reserve(request: web.Request, size: int) -> None:
    """Reserve bytes of the caller's budget until the response is sent; calls add up.

    Raise ApiError ``too_many_requests`` as ``ByteBudget.reserve`` does. A call with fewer than
    MIN_COUNTED_BYTES does nothing. The request must be authenticated.
    """
    if size >= MIN_COUNTED_BYTES:
        request.app[BYTE_BUDGET].reserve(caller_of(request).organization_id, size)
        request[_RESERVED] = request.get(_RESERVED, 0) + size


def reserve_unconditionally(request: web.Request, size: int) -> None:
    """Reserve bytes also beyond the budget, for the response to a write that has taken effect.

    Otherwise like ``reserve``.
    """
    if size >= MIN_COUNTED_BYTES:
        request.app[BYTE_BUDGET].add(caller_of(request).organization_id, size)
        request[_RESERVED] = request.get(_RESERVED, 0) + size


def release(request: web.Request) -> None:
    """Release all bytes that the request has reserved; do nothing without any."""
    budget = request.app[BYTE_BUDGET]
    # A missed look-up in the request is slow, and most of the time nothing is reserved.
    if budget.is_in_use and _RESERVED in request:
        budget.release(caller_of(request).organization_id, request.pop(_RESERVED))


def _too_many() -> ApiError:
    size = byte_size(MAX_BYTES_IN_FLIGHT)
    message = f"Have at most {size} of bodies and responses in flight; retry in 1 s."
    return api_error(ErrorType.TOO_MANY_REQUESTS, message=message, headers={"Retry-After": "1"})
