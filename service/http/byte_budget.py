"""The bytes of bodies and answers under way, which every organization has a share of.

Who sends bodies and takes no answers uses up its own share and nobody else's (contract, Budgets).
"""

from collections import defaultdict
from typing import Final

from aiohttp import web

from service.error_types import ErrorType
from service.errors import ApiError, api_error
from service.http.context import caller

MAX_MIB: Final = 64
"""Of one organization in one worker."""
MIN_COUNTED_BYTES: Final = 32 * 1024
"""Bytes: the requests that an organization may have under way bound what is smaller."""


class ByteBudget:
    """What each organization holds, in bytes."""

    def __init__(self, most: int = MAX_MIB * 2**20) -> None:
        self._most = most
        self._held: dict[int, int] = defaultdict(int)

    @property
    def is_in_use(self) -> bool:
        """Whether anybody holds anything."""
        return bool(self._held)

    def check(self, organization_id: int) -> None:
        """Raise ApiError ``too_many_requests`` where the organization holds all that it may."""
        if self._held and self._held.get(organization_id, 0) >= self._most:
            raise _too_many()

    def reserve(self, organization_id: int, size: int) -> None:
        """Count bytes; raises ApiError ``too_many_requests`` for more than are left.

        Who holds nothing gets what it asks for.
        """
        held = self._held.get(organization_id, 0)
        if held and held + size > self._most:
            raise _too_many()
        self.add(organization_id, size)

    def add(self, organization_id: int, size: int) -> None:
        """Count bytes that are there already."""
        self._held[organization_id] += size

    def release(self, organization_id: int, size: int) -> None:
        """Count bytes no longer."""
        self._held[organization_id] -= size
        if not self._held[organization_id]:
            del self._held[organization_id]


BYTE_BUDGET: web.AppKey[ByteBudget] = web.AppKey("accounts", ByteBudget)
_RESERVED: web.RequestKey[int] = web.RequestKey("held", int)


def reserve(request: web.Request, size: int) -> None:
    """Count bytes until the request is answered; raises ApiError where its caller has too many."""
    if size >= MIN_COUNTED_BYTES:
        request.app[BYTE_BUDGET].reserve(caller(request).organization_id, size)
        request[_RESERVED] = request.get(_RESERVED, 0) + size


def reserve_response(request: web.Request, size: int) -> None:
    """Count the bytes of an answer that has to be given, for something was done."""
    if size >= MIN_COUNTED_BYTES:
        request.app[BYTE_BUDGET].add(caller(request).organization_id, size)
        request[_RESERVED] = request.get(_RESERVED, 0) + size


def release(request: web.Request) -> None:
    """Count nothing of the request any longer."""
    accounts = request.app[BYTE_BUDGET]
    # Looking for what is not there takes longer than the rest: mostly nobody holds anything.
    if accounts.is_in_use and _RESERVED in request:
        accounts.release(caller(request).organization_id, request.pop(_RESERVED))


def _too_many() -> ApiError:
    message = "Too much of this organization is under way at once; try again soon."
    return api_error(ErrorType.TOO_MANY_REQUESTS, message=message, headers={"Retry-After": "1"})
