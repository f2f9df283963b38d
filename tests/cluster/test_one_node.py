"""Tests of requests on a cluster: each uses one shard of one node."""

from typing import Any

import asyncpg
import pytest
from aiohttp.test_utils import TestServer

from service.app import create_app
from service.routes import routes
from service.settings import Settings
from tests.contract.test_every_route import SUCCESSES
from tests.support.api import Api, issue_key
from tests.support.paths import stored_ids

_REFUSING = "?citus.multi_task_query_log_level=error&plan_cache_mode=force_custom_plan"
"""Makes Citus refuse what it would have to ask of several shards.

Without parameters, for a plan that it then does not take, it would refuse more.
"""


async def test_every_route_asks_one_node(aiohttp_client: Any, demo_dsn: str) -> None:
    settings = Settings.from_environment({"LOG_LEVEL": "warning"})
    server = TestServer(create_app(settings, demo_dsn + _REFUSING))
    api = Api(await aiohttp_client(server, server_kwargs=None), await issue_key(demo_dsn, 1))
    assert await serve_every_route(api, demo_dsn) == []


async def serve_every_route(api: Api, dsn: str) -> list[tuple[str, str, bytes]]:
    """Call every route; return those without success, with the body of the response."""
    connection = await asyncpg.connect(dsn)
    stored = await stored_ids(connection)
    await connection.close()
    refused = []
    for route in routes():
        answer = await SUCCESSES[route.operation.name](api, route, stored)
        if answer.status not in (200, 201):
            refused.append((route.method, route.path, answer.raw))
    return refused


async def test_statements_on_several_nodes_are_refused(demo_dsn: str) -> None:
    """The test above can fail."""
    connection = await asyncpg.connect(demo_dsn + _REFUSING)
    with pytest.raises(asyncpg.PostgresError, match="multi-task"):
        await connection.fetch("select id from color order by id")
    await connection.close()
