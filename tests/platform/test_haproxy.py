"""Tests of the examples of docs/deploy on HAProxy: requests go where their organization is."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from service.errors import api_error
from tests.support.haproxy import CELLS_FILE, FILE, PATH, needs_haproxy, proxy

NODES: Final = ("worker-1.example.com:5432", "worker-2.example.com:5432")
CELLS: Final = ("db-0.example.com", "db-3.example.com")
SECRET: Final = "0" * 64


class Instance:
    """Instance that answers with the name of its node, or ends the connection without an answer."""

    def __init__(self, node: str) -> None:
        self.node = node
        self.ends_connections = False
        self.requests = 0
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self.server = TestServer(app)

    async def _answer(self, request: web.Request) -> web.Response:
        if request.path == PATH:
            self.requests += 1
            if self.ends_connections:
                assert request.transport is not None
                request.transport.abort()
        return web.json_response({"node": self.node})


def proxied(
    folder: Path, instances: list[Instance]
) -> AbstractAsyncContextManager[aiohttp.ClientSession]:
    """Run HAProxy before instances; organization 1 is on the node of the first, 2 of the second."""
    ports = {instance.node: int(instance.server.port or 0) for instance in instances}
    return proxy(folder, ports, "".join(f"{id_} {node}\n" for id_, node in enumerate(ports, 1)))


@pytest.fixture
async def instances() -> AsyncIterator[list[Instance]]:
    """An instance beside each node."""
    started = [Instance(node) for node in NODES]
    for instance in started:
        await instance.server.start_server()
    yield started
    for instance in started:
        await instance.server.close()


async def call(
    session: aiohttp.ClientSession, organization_id: int, method: str = "GET"
) -> tuple[int, Any]:
    """Return status and body of a request with a key of the organization."""
    headers = {"Authorization": f"Bearer slv_{organization_id}_7_{SECRET}"}
    async with session.request(method, PATH, headers=headers) as response:
        return response.status, await response.json()


@needs_haproxy
async def test_requests_go_to_the_node_of_their_organization(
    tmp_path: Path, instances: list[Instance]
) -> None:
    async with proxied(tmp_path, instances) as session:
        for _ in range(4):
            for organization_id, node in enumerate(NODES, 1):
                assert await call(session, organization_id) == (200, {"node": node})
        nodes = {(await call(session, 3))[1]["node"] for _ in range(20)}
        assert nodes == {*NODES}


@needs_haproxy
async def test_another_instance_serves_while_one_is_away(
    tmp_path: Path, instances: list[Instance]
) -> None:
    away, other = instances
    async with proxied(tmp_path, instances) as session:
        await away.server.close()
        for _ in range(10):
            assert await call(session, 1, "POST") == (200, {"node": other.node})


@needs_haproxy
async def test_a_lost_answer_is_an_unknown_outcome_and_nothing_is_sent_again(
    tmp_path: Path, instances: list[Instance]
) -> None:
    async with proxied(tmp_path, instances) as session:
        before = [instance.requests for instance in instances]
        instances[0].ends_connections = True
        status, body = await call(session, 1, "POST")
        assert (status, body["code"]) == (503, "server_error.outcome_unknown")
        assert [each.requests for each in instances] == [before[0] + 1, before[1]]


@needs_haproxy
async def test_it_refuses_by_itself_without_instances_and_where_operators_ask(
    tmp_path: Path, instances: list[Instance]
) -> None:
    async with proxied(tmp_path, instances) as session:
        for path in ("/metrics", "/readyz", "/healthz"):
            async with session.get(path) as response:
                assert response.status == 404
                assert (await response.json())["code"] == "not_found.route"
        for instance in instances:
            await instance.server.close()
        async with session.get(PATH) as response:
            assert response.status == 503
            assert response.headers["Retry-After"] == "1"
            assert (await response.json())["code"] == "server_error.unavailable"


@needs_haproxy
async def test_requests_go_to_the_cell_of_their_organization(
    tmp_path: Path, instances: list[Instance]
) -> None:
    """Those without a line are in cell 0, and nobody else serves those of a cell that is away."""
    first, other = instances
    ports = {name: int(each.server.port or 0) for name, each in zip(CELLS, instances, strict=True)}
    async with proxy(tmp_path, ports, "2 cell-3\n7 moving\n", CELLS_FILE) as session:
        assert await call(session, 1) == (200, {"node": first.node})
        assert await call(session, 2) == (200, {"node": other.node})
        status, body = await call(session, 7)
        assert (status, body["code"]) == (503, "server_error.unavailable")
        assert "moves" in body["error"]["details"][0]["value"]
        await other.server.close()
        assert (await call(session, 2))[0] == 503
        assert await call(session, 1) == (200, {"node": first.node})


def test_the_examples_differ_in_what_they_choose_by_alone() -> None:
    """A limit or a rule that is changed in one is changed in the other."""
    nodes, cells = ({*file[file.index("global") :].splitlines()} for file in (FILE, CELLS_FILE))
    own = [line.split("#")[0].strip() for line in nodes - cells]
    rules = ("http-request set-var", "use-server", "server", "default_backend", "backend")
    assert own
    assert not [line for line in own if line and not line.startswith(rules)]


@pytest.mark.parametrize(("file", "count"), [(FILE, 4), (CELLS_FILE, 5)], ids=["nodes", "cells"])
def test_what_it_refuses_is_in_the_envelope(file: str, count: int) -> None:
    bodies = [json.loads(text) for text in re.findall(r" string '(.*?)'", file)]
    assert len(bodies) == count
    for body in bodies:
        [detail] = body["error"]["details"]
        assert body == api_error(detail["type"], message=detail["value"]).body()
