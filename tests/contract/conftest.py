"""Fixtures of the contract tests: one database with the demo data for many tests.

A test may add records of its own to it, and changes no others.
"""

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.database import organization_poller
from service.organizations import administration
from tests.support.api import Api, issue_key
from tests.support.clock import Clock
from tests.support.databases import demo_database
from tests.support.keyed_references import NUMBERS, World
from tests.support.paths import stored_ids
from tests.support.receivers import TestReceiver, receiving, sending_api
from tests.support.serving import serving


@pytest.fixture
def shared_api(shared_client: TestClient[Any, Any], shared_keys: dict[str, str]) -> Api:
    """A caller of organization 1, which has every feature."""
    return Api(shared_client, shared_keys["writer"])


@pytest.fixture
def shared_reader(shared_client: TestClient[Any, Any], shared_keys: dict[str, str]) -> Api:
    """A caller of organization 1 whose key may only read."""
    return Api(shared_client, shared_keys["reader"])


@pytest.fixture
def shared_other(shared_client: TestClient[Any, Any], shared_keys: dict[str, str]) -> Api:
    """A caller of organization 2, which has no optional feature."""
    return Api(shared_client, shared_keys["other"])


@pytest.fixture
async def own_api(shared_dsn: str, shared_keys: dict[str, str]) -> AsyncIterator[Api]:
    """A caller of organization 1 on a service that nobody used before, with one connection."""
    async with serving(shared_dsn, POOL_SIZE="1") as server, TestClient(server) as client:
        yield Api(client, shared_keys["writer"])


@pytest.fixture(scope="module")
async def sending(server_dsn: str, worker_id: str) -> AsyncIterator[tuple[str, Api]]:
    """A database, and its service, which sends to receivers of tests; it polls often."""
    dsn = demo_database(server_dsn, f"sending_{worker_id}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(organization_poller, "INTERVAL_SECONDS", 0.05)
        async with sending_api(dsn) as api:
            yield dsn, api


@pytest.fixture
async def sender_api(sending: tuple[str, Api]) -> AsyncIterator[Api]:
    """A caller of a new organization of a service that sends to receivers of tests."""
    dsn, api = sending
    connection = await asyncpg.connect(dsn)
    features = {"multiple_language": True, "pro": True}
    made = await administration.create_organization(connection, "New", **features)
    yield Api(api.client, await issue_key(dsn, made))
    await connection.execute("delete from webhook where organization_id = $1", made)
    await connection.close()


@pytest.fixture
async def receiver() -> AsyncIterator[TestReceiver]:
    """A receiver that takes everything."""
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def world(shared_api: Api) -> World:
    """Records of the test's own that others can refer to by id and by key."""
    world = World(mark=str(next(NUMBERS)))
    await world.fill(shared_api)
    return world


@pytest.fixture(scope="session")
async def stored(shared_connection: asyncpg.Connection) -> dict[str, int]:
    """Path parameters that name records of organization 1."""
    return await stored_ids(shared_connection)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that the cache of callers looks at."""
    return Clock(monkeypatch, "service.organizations.caller")
