"""Budgets of an organization in one worker: concurrent requests, and bytes in memory.

Clients that send many requests, large bodies, or read responses slowly use up the budgets of their
own organization only (contract, Shares). Without them memory grows (``make attack``: page).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from aiohttp import web

from service.error_types import ErrorType
from service.errors import ApiError, api_error, too_many_requests
from service.http.context import caller_of
from service.http.headers import RATE_LIMIT, RATE_LIMIT_POLICY
from service.limits import MAX_BYTES_IN_FLIGHT, byte_size


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


ADMISSION: web.AppKey[Admission] = web.AppKey("admission", Admission)

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


class RateLimitHeaders:
    """Headers with an organization's quotas in one worker: concurrent requests, bytes in flight.

    ``RateLimit-Policy`` has the quotas (``q``), ``RateLimit`` what is left of them (``r``).
    """

    def __init__(self, admission: Admission, budget: ByteBudget) -> None:
        self._admission = admission
        self._budget = budget
        # No organization has the id 0, so these are the whole quotas.
        requests, self._max_bytes = admission.remaining(0), budget.remaining(0)
        self._policy = (
            f'"requests";q={requests};qu="concurrent-requests", '
            f'"bytes";q={self._max_bytes};qu="content-bytes"'
        )

    def mark(self, headers: dict[str, str], organization_id: int) -> None:
        """Add the headers to those of a response to an authenticated caller.

        The middleware calls it when the request no longer counts as concurrent, while the bytes
        that it has reserved still count.
        """
        budget, size = self._budget, self._max_bytes
        if budget.is_in_use:
            size = budget.remaining(organization_id)
        requests = self._admission.remaining(organization_id)
        headers[RATE_LIMIT] = f'"requests";r={requests}, "bytes";r={size}'
        headers[RATE_LIMIT_POLICY] = self._policy


RATE_LIMIT_HEADERS: web.AppKey[RateLimitHeaders] = web.AppKey(
    "rate_limit_headers", RateLimitHeaders
)
