"""The bytes of bodies and answers under way, which every organization has a share of.

Who sends bodies and takes no answers uses up its own share and nobody else's (contract, Budgets).
"""

from collections import defaultdict
from typing import Final

from aiohttp import web

from service.errors import ApiError, api_error
from service.http.context import caller

MAX_MIB: Final = 64
"""Of one organization in one worker."""
COUNTED_FROM: Final = 32 * 1024
"""Bytes: the requests that an organization may have under way bound what is smaller."""


class Accounts:
    """What each organization holds, in bytes."""

    def __init__(self, most: int = MAX_MIB * 2**20) -> None:
        self._most = most
        self._held: dict[int, int] = defaultdict(int)

    @property
    def hold_any(self) -> bool:
        """Whether anybody holds anything."""
        return bool(self._held)

    def check(self, organization_id: int) -> None:
        """Raise ApiError ``too_many_requests`` where the organization holds all that it may."""
        if self._held and self._held.get(organization_id, 0) >= self._most:
            raise _too_many()

    def take(self, organization_id: int, size: int) -> None:
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

    def give_back(self, organization_id: int, size: int) -> None:
        """Count bytes no longer."""
        self._held[organization_id] -= size
        if not self._held[organization_id]:
            del self._held[organization_id]


ACCOUNTS: web.AppKey[Accounts] = web.AppKey("accounts", Accounts)
_HELD: web.RequestKey[int] = web.RequestKey("held", int)


def hold(request: web.Request, size: int) -> None:
    """Count bytes until the request is answered; raises ApiError where its caller has too many."""
    if size >= COUNTED_FROM:
        request.app[ACCOUNTS].take(caller(request).organization_id, size)
        request[_HELD] = request.get(_HELD, 0) + size


def hold_written(request: web.Request, size: int) -> None:
    """Count the bytes of an answer that has to be given, for something was done."""
    if size >= COUNTED_FROM:
        request.app[ACCOUNTS].add(caller(request).organization_id, size)
        request[_HELD] = request.get(_HELD, 0) + size


def release(request: web.Request) -> None:
    """Count nothing of the request any longer."""
    accounts = request.app[ACCOUNTS]
    # Looking for what is not there takes longer than the rest: mostly nobody holds anything.
    if accounts.hold_any and _HELD in request:
        accounts.give_back(caller(request).organization_id, request.pop(_HELD))


def _too_many() -> ApiError:
    message = "Too much of this organization is under way at once; try again soon."
    return api_error("too_many_requests", message=message, headers={"Retry-After": "1"})
