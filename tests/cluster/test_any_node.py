"""Tests of a service on a worker node: it serves every route, with ids of the coordinator."""

from typing import Any
from urllib.parse import urlsplit

import asyncpg
from aiohttp.test_utils import TestServer

from service.app import create_app
from service.settings import Settings
from tests.cluster.test_one_node import serve_every_route
from tests.support import cluster
from tests.support.api import Api, issue_key

_CLOSED = "127.0.0.1:1"
"""Address where nothing listens."""


def worker(dsn: str) -> str:
    """Return the DSN of a database on a worker node."""
    return cluster.nodes(urlsplit(dsn).path.removeprefix("/"))[1]


async def api_on(aiohttp_client: Any, dsn: str, key: str) -> Api:
    """Return a caller of a service on a node."""
    settings = Settings.from_environment({"LOG_LEVEL": "warning", "DATABASE_URL": dsn})
    return Api(await aiohttp_client(TestServer(create_app(settings, dsn))), key)


async def test_a_worker_node_serves_every_route(aiohttp_client: Any, demo_dsn: str) -> None:
    key = await issue_key(demo_dsn, 1)
    api = await api_on(aiohttp_client, worker(demo_dsn), key)
    assert await serve_every_route(api, demo_dsn) == []
    assert (await api.get("/readyz")).status == 200
    connection = await asyncpg.connect(demo_dsn)
    tables = await connection.fetch(
        """select table_name from information_schema.columns
        where table_schema = 'public' and column_name = 'id' and is_identity = 'YES'
            and table_name in (select logicalrelid::text from pg_dist_partition)"""
    )
    assert len(tables) > 20
    for (table,) in tables:
        highest = await connection.fetchval(f"select max(id) from {table}")
        last = await connection.fetchval("select last_value from " + table + "_id_seq")
        assert (highest or 0) <= last < 2**48, table
    await connection.close()


async def test_nodes_share_the_ids(aiohttp_client: Any, demo_dsn: str) -> None:
    key = await issue_key(demo_dsn, 1)
    apis = [await api_on(aiohttp_client, dsn, key) for dsn in (demo_dsn, worker(demo_dsn))]
    ids = list[int]()
    for number in range(6):
        answer = await apis[number % 2].post("/api/groups", {"name": f"Group {number}"})
        assert answer.status == 201, answer.raw
        ids.append(answer.data["id"])
    assert ids == [*range(ids[0], ids[0] + 6)]
    changes = await apis[1].get("/api/changes", [("limit", "100")])
    groups = [entry["recordId"] for entry in changes.data if entry["collection"] == "groups"]
    assert groups[-6:] == ids


async def test_the_next_host_serves_if_the_first_is_down(
    aiohttp_client: Any, demo_dsn: str
) -> None:
    parts = urlsplit(worker(demo_dsn))
    account, at, address = parts.netloc.rpartition("@")
    dsn = parts._replace(netloc=f"{account}{at}{_CLOSED},{address}").geturl()
    api = await api_on(aiohttp_client, dsn, await issue_key(demo_dsn, 1))
    assert (await api.post("/api/groups", {"name": "There"})).status == 201
