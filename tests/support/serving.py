"""Service in the test's own process; it reads requests as it does in production."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp.test_utils import TestServer

from service.app import create_app
from service.http.connections import HttpConnection, Runner
from service.http.parser_errors import PARSER_LIMITS
from service.limits import MAX_CONNECTIONS
from service.settings import Settings


class _Server(TestServer):
    """aiohttp's server with the connections of the service."""

    async def _make_runner(self, **options: Any) -> Runner:
        return Runner(self.app, **{"connections": MAX_CONNECTIONS, **options})

    async def close(self) -> None:
        """End idle connections, for which it would wait: a browser keeps its own open."""
        assert isinstance(self.runner, Runner)
        for connection in self.runner.server.connections if self.runner.server else ():
            if isinstance(connection, HttpConnection) and connection.is_idle:
                connection.force_close()
        await super().close()


@asynccontextmanager
async def serving(
    dsn: str, reading: Mapping[str, Any] = PARSER_LIMITS, **settings: str
) -> AsyncIterator[TestServer]:
    """Serve a database, with settings by the names of their environment variables."""
    chosen = Settings.from_environment({"LOG_LEVEL": "warning", **settings})
    server = _Server(create_app(chosen, dsn))
    await server.start_server(**reading)
    try:
        yield server
    finally:
        await server.close()
