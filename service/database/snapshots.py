"""Snapshots: read-only transactions whose statements see one moment (contract, Exports)."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, TypeVar

import asyncpg
from aiohttp import web

from service.database.connection_pool import connect
from service.database.connections import Connection
from service.database.errors import BROKEN, LOST, REFUSED, refused
from service.errors import too_many_requests, unavailable
from service.limits import EXPORT_CONNECTIONS, VERIFICATION_SECONDS

_RETRY_SECONDS: Final = 10
"""``Retry-After``, in seconds, of an export that the limits of snapshots refuse."""
_BEGIN: Final = "begin isolation level repeatable read read only"
_TIMEOUT: Final = f"set local statement_timeout = '{VERIFICATION_SECONDS}s'"

_T = TypeVar("_T")


class Snapshots:
    """Snapshots of a worker: one of each organization at a time, EXPORT_CONNECTIONS in all.

    Each has a new connection, beside the pool's and outside of the fair queue, because a caller
    that reads slowly keeps it for long.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._organizations = set[int]()

    async def read(self, work: Callable[[Connection], Awaitable[_T]]) -> _T:
        """Return the result of work in a snapshot; raise ApiError also if it fails.

        Its statements may take VERIFICATION_SECONDS. The caller is in the organization's ``share``.
        """
        try:
            async with self._opened() as connection:
                await connection.execute(_TIMEOUT)
                return await work(connection)
        except (*LOST, *REFUSED, *BROKEN) as error:
            raise refused(error) from error

    @asynccontextmanager
    async def open(self, organization_id: int) -> AsyncIterator[Connection]:
        """Yield a connection in a new read-only transaction, which ends with the block.

        The first statement of the block fixes the moment that all of them see. Raise ApiError as
        ``share`` does, and ``server_error.unavailable`` if the connection cannot be opened. Errors
        of the block are not mapped. The connection is closed at the end, so that nothing is left of
        an interrupted statement.
        """
        with self.share(organization_id):
            async with self._opened() as connection:
                yield connection

    @contextmanager
    def share(self, organization_id: int) -> Iterator[None]:
        """Hold the organization's snapshot in the block, which may open it later.

        Raise ApiError: ``too_many_requests`` if the organization has one already, and
        ``server_error.unavailable`` if other organizations have all. There is no queue.
        """
        if organization_id in self._organizations:
            raise too_many_requests(_RETRY_SECONDS)
        if len(self._organizations) >= EXPORT_CONNECTIONS:
            raise unavailable("Others export now. Try again later.", _RETRY_SECONDS)
        self._organizations.add(organization_id)
        try:
            yield
        finally:
            self._organizations.discard(organization_id)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[Connection]:
        connection = await self._begin()
        try:
            yield connection
        finally:
            connection.terminate()

    async def _begin(self) -> Connection:
        try:
            connection = await connect(self._dsn)
            await connection.execute(_BEGIN)
        except (*LOST, asyncpg.PostgresError) as error:
            raise refused(error) from error
        return connection


SNAPSHOTS: web.AppKey[Snapshots] = web.AppKey("snapshots", Snapshots)
