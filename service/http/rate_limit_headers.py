"""Rate limit headers: requests and bytes that an organization may still have in flight.

``RateLimit`` and ``RateLimit-Policy`` follow draft-ietf-httpapi-ratelimit-headers-10. Bodies and
responses below ``byte_budget.MIN_COUNTED_BYTES`` do not count.
"""

from aiohttp import web
from multidict import CIMultiDict

from service.http.admission import Admission
from service.http.byte_budget import ByteBudget
from service.http.headers import RATE_LIMIT, RATE_LIMIT_POLICY


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

    def mark(self, headers: CIMultiDict[str], organization_id: int) -> None:
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
