"""Tests of instances on every node behind HAProxy: each request is served by its home node."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import aiohttp
import psycopg
from aiohttp import web
from aiohttp.test_utils import TestServer

from service.app import create_app
from service.settings import Settings
from tests.cluster.callers import GROUPS
from tests.support import cluster
from tests.support.api import issue_key
from tests.support.haproxy import needs_haproxy, proxy
from tests.support.processes import selvedge
from tests.support.time_limits import until

_REQUESTS: Final = 20
_WRITERS: Final = 4


class Instances:
    """A service on each worker node, which counts creates."""

    def __init__(self) -> None:
        self.servers: dict[str, TestServer] = {}
        """Service by the address of its node."""
        self.creates = Counter[str]()
        """Number of creates that each was sent, by node."""

    async def start(self, stack: AsyncExitStack, dsn: str) -> None:
        """Start the services. The DSN of each names its node first, and then the others."""
        workers = cluster.nodes(urlsplit(dsn).path.removeprefix("/"))[1:]
        addresses = [urlsplit(each).netloc.rpartition("@")[2] for each in workers]
        for worker, address in zip(workers, addresses, strict=True):
            others = [each for each in addresses if each != address]
            dsn = worker.replace(address, ",".join([address, *others]))
            app = create_app(
                Settings.from_environment({"LOG_LEVEL": "warning", "DATABASE_URL": dsn}), dsn
            )
            self._count(app, address)
            server = TestServer(app)
            await server.start_server()
            stack.push_async_callback(server.close)
            self.servers[address] = server

    def _count(self, app: web.Application, address: str) -> None:
        handle = app._handle

        async def count(request: web.Request) -> web.StreamResponse:
            if request.method == "POST":
                self.creates[address] += 1
            return await handle(request)

        app._handle = count  # type: ignore[method-assign]


@asynccontextmanager
async def behind_haproxy(
    folder: Path, dsn: str, nodes_map: str
) -> AsyncIterator[tuple[Instances, aiohttp.ClientSession]]:
    """Serve a distributed database by an instance on each worker node, behind HAProxy."""
    async with AsyncExitStack() as stack:
        instances = Instances()
        await instances.start(stack, dsn)
        ports = {node: int(each.port or 0) for node, each in instances.servers.items()}
        yield instances, await stack.enter_async_context(proxy(folder, ports, nodes_map))


def print_nodes(folder: Path, dsn: str) -> str:
    """Return what `selvedge organization nodes` prints."""
    printed = selvedge(folder, "organization", "nodes", DATABASE_URL=dsn)
    assert printed.returncode == 0, printed.stderr
    return printed.stdout


def node_of(nodes_map: str, organization_id: int) -> str:
    """Return the node of an organization by such a map."""
    return dict(line.split(" ") for line in nodes_map.splitlines())[str(organization_id)]


async def create(session: aiohttp.ClientSession, key: str, name: str) -> int:
    """Create a group; return the status, or 0 without a response."""
    headers = {"Authorization": f"Bearer {key}"}
    try:
        async with session.post(GROUPS, json={"name": name}, headers=headers) as response:
            await response.read()
            return response.status
    except aiohttp.ClientError:
        return 0


@needs_haproxy
async def test_each_organization_is_served_by_its_node(demo_dsn: str, tmp_path: Path) -> None:
    nodes_map = await asyncio.to_thread(print_nodes, tmp_path, demo_dsn)
    async with behind_haproxy(tmp_path, demo_dsn, nodes_map) as (instances, session):
        for organization_id, requests in ((1, _REQUESTS), (2, 2 * _REQUESTS)):
            key = await issue_key(demo_dsn, organization_id)
            for number in range(requests):
                assert await create(session, key, f"Group {number}") == 201
        homes = [node_of(nodes_map, id_) for id_ in (1, 2)]
        assert instances.creates == {homes[0]: _REQUESTS, homes[1]: 2 * _REQUESTS}


@needs_haproxy
async def test_a_map_that_is_out_of_date_costs_a_hop_only(demo_dsn: str, tmp_path: Path) -> None:
    nodes_map = await asyncio.to_thread(print_nodes, tmp_path, demo_dsn)
    swapped = "".join(f"{id_} {node_of(nodes_map, other)}\n" for id_, other in ((1, 2), (2, 1)))
    async with behind_haproxy(tmp_path, demo_dsn, swapped) as (instances, session):
        key = await issue_key(demo_dsn, 1)
        for number in range(_REQUESTS):
            assert await create(session, key, f"Group {number}") == 201
        assert instances.creates == {node_of(nodes_map, 2): _REQUESTS}


@needs_haproxy
async def test_the_other_instance_serves_after_one_has_stopped(
    demo_dsn: str, tmp_path: Path
) -> None:
    """Requests under way when it stops are answered; each acknowledged create is stored once."""
    nodes_map = await asyncio.to_thread(print_nodes, tmp_path, demo_dsn)
    home = node_of(nodes_map, 1)
    async with behind_haproxy(tmp_path, demo_dsn, nodes_map) as (instances, session):
        key = await issue_key(demo_dsn, 1)
        statuses: dict[str, int] = {}

        async def write(writer: int) -> None:
            for number in range(2 * _REQUESTS):
                name = f"Stop {writer} {number}"
                statuses[name] = await create(session, key, name)

        writers = [asyncio.create_task(write(number)) for number in range(_WRITERS)]
        await until(lambda: instances.creates[home] >= _REQUESTS)
        await instances.servers[home].close()
        await asyncio.gather(*writers)
        (other,) = instances.servers.keys() - {home}
        assert instances.creates[other] > _REQUESTS
    with psycopg.connect(demo_dsn) as connection:
        stored = Counter(
            name
            for (name,) in connection.execute(
                "select name from style_group where organization_id = 1 and name ~ '^Stop '"
            )
        )
    assert set(stored.values()) == {1}
    assert {name for name, status in statuses.items() if status == 201} <= stored.keys()
    assert set(statuses.values()) <= {0, 201, 503}
    assert [*statuses.values()].count(201) >= len(statuses) - _WRITERS
