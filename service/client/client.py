"""The client: one organization's key at one service."""

from types import TracebackType
from typing import Self

import aiohttp

from service.client.changes import Changes
from service.client.collections import Collection
from service.client.parts import Part
from service.client.queries import Parameters
from service.client.records import Identity
from service.client.retry_policy import RetryPolicy
from service.client.transport import HttpResponse, Request, Transport

_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=60)
"""A write takes up to 30 seconds in the database, and may wait for its turn before that."""


class Client:
    """Calls with one key; an asynchronous context, outside of which nothing can be sent."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        retry_policy: RetryPolicy | None = None,
        timeout: aiohttp.ClientTimeout = _TIMEOUT,
    ) -> None:
        self._url, self._key, self._timeout = url, key, timeout
        self._retry_policy = retry_policy or RetryPolicy()
        self._session: aiohttp.ClientSession | None = None
        self._transport: Transport | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(timeout=self._timeout)
        # By itself it repeats PUT and DELETE where a kept connection was cut; we know better when.
        self._session._retry_connection = False
        self._transport = Transport(self._session, self._url, self._key, self._retry_policy)
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    def collection(self, *path: str | int) -> Collection:
        """A collection by its path: ``("colors")``, ``("styles", 5, "sample-requests")``."""
        return Collection(self._require_transport(), path)

    def part(self, *path: str | int) -> Part:
        """A part of a record by its path: ``("colors", 7, "translations")``."""
        return Part(self._require_transport(), path)

    async def me(self) -> Identity:
        """Return the installation and the organization that the key stands for."""
        answer = await self.get("/api/me")
        document = answer.body["data"]
        return Identity(document["installation"]["id"], document["organization"]["id"])

    @property
    def changes(self) -> Changes:
        """What was changed, to be followed."""
        return Changes(self._require_transport())

    async def get(
        self, path: str, parameters: Parameters | None = None, *, exact: bool = False
    ) -> HttpResponse:
        """The answer to a read of any path, such as ``/api/…/measurements/9``.

        In an ``exact`` one decimal numbers are texts, to the digit: ``52.50``.
        """
        return await self._require_transport().send(
            Request("GET", path, parameters or [], exact=exact)
        )

    def _require_transport(self) -> Transport:
        if self._transport is None:
            raise RuntimeError("Enter the client's context first: async with Client(…) as client.")
        return self._transport
