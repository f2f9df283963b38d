"""Query plans of deep pages: they cost as much as the first one (contract, Cursors).

A page by cursor reads an index from where the last one ended. No node of its plan handles more rows
than a few pages have, so nothing but a page is ever sorted, and nothing is skipped.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import asyncpg
import orjson
import pytest

from service.database.connections import Database
from service.database.statements import load
from service.listing.list_request import ListRequest, SortKey
from service.resources.registry import STYLE_RELATIONS

pytestmark = [
    pytest.mark.plain_postgresql,
    pytest.mark.contract("Cursors"),
    pytest.mark.usefixtures("without_response_cache"),  # SQL that bypasses the service
]

RELATIONS, STYLES = 20_000, 2_000
PAGE = 30
#: Each row of the page has its style looked up, and one more row tells that there are more.
MOST_ROWS = 4 * PAGE
_NEW_ID = "nextval(pg_get_serial_sequence('change', 'id'))"
_RECORD = f"execute record (1, {_NEW_ID}, null, 'a request', 1, '{{}}', null, '{{}}')"


@pytest.fixture
async def connection(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection to a database with two organizations of many style relations each."""
    connection = await asyncpg.connect(dsn, server_settings={"jit": "off"})
    for organization in (1, 2):
        await connection.execute(
            "insert into organization (id, name) values ($1, 'An organization')", organization
        )
        await connection.execute(
            """insert into style (organization_id, id, number, name)
            select $1, n, 'SV-' || lpad((n * 7919 % $2)::text, 6, '0'), 'Style ' || n
            from generate_series(1, $2::integer) as n""",
            organization,
            STYLES,
        )
        await connection.execute(
            """insert into style_relation (organization_id, id, style_id, related_style_id)
            select $1, n, n % $2 + 1, n * 31 % $2 + 1 from generate_series(1, $3::integer) as n""",
            organization,
            STYLES,
            RELATIONS,
        )
    await connection.execute("analyze style, style_relation")
    yield connection
    await connection.close()


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every node of a plan, on a cluster those of the shard's plan too."""
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes(part)
    if "Distributed Query" in plan:
        (task,) = plan["Distributed Query"]["Job"]["Tasks"]
        for remote in task["Remote Plan"]:
            yield from nodes(remote[0]["Plan"])


async def explained(
    connection: asyncpg.Connection, sort: list[tuple[str, bool]], after: tuple[Any, ...] | None
) -> tuple[list[dict[str, Any]], bytes]:
    """Return the nodes of the plan of a page, and the page."""
    properties = STYLE_RELATIONS.properties
    keys = tuple(SortKey(properties[name], descending) for name, descending in sort)
    query = STYLE_RELATIONS.compile_list(ListRequest(sort=keys, page_size=PAGE, after=after))
    values = (1, *query.parameters)
    explanation = await connection.fetchval(
        f"explain (analyze, timing off, format json) {query.text}", *values
    )
    row = await connection.fetchrow(query.text, *values)
    return list(nodes(orjson.loads(explanation)[0]["Plan"])), row["documents"]


DEEP = {
    "by id": ([("id", False)], (RELATIONS - 2 * PAGE,)),
    "by id, descending": ([("id", True)], (2 * PAGE,)),
    "by the number of the related style, descending": (
        [("relatedStyleNumber", True), ("id", False)],
        ("SV-000003", 5),
    ),
    "by the number of the related style": (
        [("relatedStyleNumber", False), ("id", False)],
        ("SV-001990", 5),
    ),
    "by style": ([("styleId", False), ("id", False)], (STYLES - 5, 1)),
}


async def test_a_deep_page_costs_what_the_first_one_does(connection: asyncpg.Connection) -> None:
    for name, (sort, deep) in DEEP.items():
        for after in (None, deep):
            plan, documents = await explained(connection, sort, after)
            assert documents.count(b'"id"') == PAGE
            kinds = {node["Node Type"] for node in plan}
            assert not kinds & {"Seq Scan", "Bitmap Heap Scan", "Hash Join"}, (name, after, kinds)
            assert max(map(handled, plan)) <= MOST_ROWS, (name, after, plan)
            if after is not None:
                conditions = [node["Index Cond"] for node in plan if "Index Cond" in node]
                assert any("<" in condition or ">" in condition for condition in conditions), (
                    name,
                    conditions,
                )


def handled(node: dict[str, Any]) -> float:
    """Return how many rows a plan node returned or discarded."""
    thrown = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Join Filter", 0)
    return float((node["Actual Rows"] + thrown) * node["Actual Loops"])


async def test_a_page_by_cursor_skips_nothing() -> None:
    """An offset costs what it skips: only pages by number have one."""
    keys = (SortKey(STYLE_RELATIONS.properties["id"], False),)
    for list_request, skips in (
        (ListRequest(sort=keys), False),
        (ListRequest(sort=keys, after=(7,)), False),
        (ListRequest(sort=keys, page_number=1000), True),
    ):
        assert ("offset 0" not in STYLE_RELATIONS.compile_list(list_request).text) is skips


async def test_plans_made_for_an_empty_table_stay_good(dsn: str) -> None:
    """A session plans a statement a few times and then no more, however the tables grow."""
    database = Database(dsn, 1)

    async def grow(connection: asyncpg.Connection) -> list[dict[str, Any]]:
        await connection.execute("analyze change")
        await connection.execute(f"prepare record as {load('changes')['record'].text}")
        for _ in range(10):
            await connection.execute(_RECORD)
        await connection.execute(
            """insert into change (organization_id, clock, entries, records)
            select 1, n, 1, '{}' from generate_series(100, 3000) as n"""
        )
        explanation = await connection.fetchval(f"explain (analyze, format json) {_RECORD}")
        return list(nodes(orjson.loads(explanation)[0]["Plan"]))

    plan = await database.write(grow, 1)
    await database.close()
    assert max(map(handled, plan)) <= 1
