"""Tests of what is kept of versions, and for how long (contract, History)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from aiohttp.test_utils import TestClient

from service.handlers.retention import Retention
from service.http.context import DATABASE
from tests.support.api import Api
from tests.support.rows import wait_for_waiters
from tests.support.serving import serving
from tests.support.transactions import position

pytestmark = pytest.mark.contract("History")

BRAND = {"customId": "B-1", "name": "First", "state": "active"}
ROWS = "select version, form, change_id from record_version where organization_id = $1 order by 1"
AGE = "update change set at = at - interval '60 days' where organization_id = $1 and n <= $2"


@pytest.fixture
async def connection(demo_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(demo_dsn)
    yield connection
    await connection.close()


async def renamed(api: Api, *names: str) -> int:
    """Create a brand and give it these names; return its id."""
    brand = (await api.post("/api/brands", BRAND)).data
    for name in names:
        answer = await api.put(f"/api/brands/{brand['id']}", {**BRAND, "name": name})
        assert answer.status == 200, answer.raw
    return int(brand["id"])


async def test_a_version_has_the_form_before_the_change(
    api: Api, connection: asyncpg.Connection
) -> None:
    await renamed(api, "Second", "Second", "Third")
    rows = await connection.fetch(ROWS, api.organization_id)
    forms = [row["form"] and row["form"].split('"name":"')[1].split('"')[0] for row in rows]
    assert [(row["version"], form) for row, form in zip(rows, forms, strict=True)] == [
        (1, None),
        (2, "First"),
        (3, "Second"),
    ]


@pytest.mark.parametrize(
    ("settings", "without"),
    [({"HISTORY_DAYS": "0"}, None), ({"HISTORY_EXCEPT": "brands, styles"}, ["brands", "styles"])],
)
async def test_nothing_is_kept_without_history(
    api: Api,
    connection: asyncpg.Connection,
    demo_dsn: str,
    settings: dict[str, Any],
    without: list[str] | None,
) -> None:
    async with serving(demo_dsn, **settings) as server, TestClient(server) as client:
        brand_id = await renamed(Api(client, api.key), "Second")
        await Api(client, api.key).delete(f"/api/brands/{brand_id}")
    assert await connection.fetch(ROWS, api.organization_id) == []
    names = await connection.fetch("select distinct without_versions from change where n is null")
    assert [row[0] for row in names] == [without]


async def test_versions_go_with_their_changes(api: Api, connection: asyncpg.Connection) -> None:
    await renamed(api, "Second")
    n = await position(api)
    await api.put("/api/brands", [{**BRAND, "name": "Third"}], params={"match": "customId"})
    await connection.execute(AGE, api.organization_id, n)
    await position(api)
    app: Any = api.client.app
    await Retention(app[DATABASE], 30).delete_next()
    assert [row["version"] for row in await connection.fetch(ROWS, api.organization_id)] == [3]


async def test_versions_may_expire_before_their_changes(
    api: Api, connection: asyncpg.Connection
) -> None:
    await renamed(api, "Second")
    n = await position(api)
    await api.put("/api/brands", [{**BRAND, "name": "Third"}], params={"match": "customId"})
    await connection.execute(AGE, api.organization_id, n)
    await position(api)
    app: Any = api.client.app
    for _ in range(2):
        await Retention(app[DATABASE], 90, 400, 30).delete_next()
    assert [row["version"] for row in await connection.fetch(ROWS, api.organization_id)] == [3]
    text = "select without_versions from change where organization_id = $1 order by n"
    rows = await connection.fetch(text, api.organization_id)
    assert [row[0] for row in rows] == [None, None, []]


async def test_of_two_that_take_one_version_the_later_one_is_repeated(
    api: Api, connection: asyncpg.Connection, demo_dsn: str
) -> None:
    brand_id = await renamed(api)
    transaction = connection.transaction()
    await transaction.start()
    text = "insert into record_version values ($1, 'brands', $2, 0, 2, 0, 'taken')"
    await connection.execute(text, api.organization_id, brand_id)
    change = asyncio.create_task(api.put(f"/api/brands/{brand_id}", {**BRAND, "name": "Second"}))
    await wait_for_waiters(demo_dsn)
    await transaction.commit()
    assert (await change).status == 200
    rows = await connection.fetch(ROWS, api.organization_id)
    assert [row["version"] for row in rows] == [1, 2, 3]
